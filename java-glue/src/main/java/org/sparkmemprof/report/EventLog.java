package org.sparkmemprof.report;

import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.LiveListenerBus;
import org.sparkmemprof.notices.Notices;

/**
 * Puts parts of the report into Spark's event log: by Spark's listener bus while the application
 * runs, and the last parts when it ends. Spark 4 stops its plugins while the bus still runs. Spark
 * 3.5 stops them after the bus has stopped and before it closes the log: then nobody else writes
 * the log, and the last parts are passed to its writer directly, as the bus would do. Does nothing
 * where there is no event log.
 */
public final class EventLog {
  private static final int FIELDS = 3;
  private static final long BUS_MILLIS = 5_000;

  private final SparkContext spark;
  private final StoreFeeder feeder;
  private final boolean withSource;
  private final int patience;
  private final Notices notices;

  /**
   * @param withSource with the text of source lines
   * @param patience by what the wait for Spark's bus is multiplied
   */
  public EventLog(
      SparkContext spark, StoreFeeder feeder, boolean withSource, int patience, Notices notices) {
    this.spark = spark;
    this.feeder = feeder;
    this.withSource = withSource;
    this.patience = patience;
    this.notices = notices;
  }

  /** Writes what is due by now; never throws. */
  public void write() {
    write(false);
  }

  /** Writes the last parts; later calls write nothing. Never throws. */
  public void finish() {
    write(true);
  }

  private synchronized void write(boolean end) {
    try {
      if (spark.eventLogger().isEmpty()) {
        return;
      }
      for (String[] parts = take(end); parts != null; parts = take(end)) {
        boolean busRuns = !spark.listenerBus().activeQueues().isEmpty();
        for (int i = 0; i + FIELDS <= parts.length; i += FIELDS) {
          put(new ReportPart(parts[i], parts[i + 1], parts[i + 2]), busRuns);
        }
        if (busRuns && end) {
          awaitBus(spark.listenerBus()); // so that a large report doesn't fill the bus's queues
        }
      }
    } catch (Throwable e) {
      notices.failed("the profile in the event log", e);
    }
  }

  private String[] take(boolean end) {
    return feeder.takeEvents(end, withSource);
  }

  private void put(ReportPart part, boolean busRuns) {
    if (busRuns) {
      spark.listenerBus().post(part);
    } else {
      spark.eventLogger().get().onOtherEvent(part);
    }
  }

  private void awaitBus(LiveListenerBus bus) {
    try {
      bus.waitUntilEmpty(BUS_MILLIS * patience);
    } catch (TimeoutException busy) {
      // It drops events when its queue is full; the report then says what is missing.
    }
  }
}
