package org.sparkmemprof.plugin;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.sparkmemprof.report.StoreFeeder;

/**
 * The report of the running application, for its own Python process. It needs no Spark UI and no
 * right to view one. Python asks by {@link org.sparkmemprof.MemoryProfilerPlugin#report}.
 */
public final class RunningReport {
  private static final long BUS_MILLIS = 5_000;
  private static final long NAMES_MILLIS = 2_000;
  private static final long POLL_MILLIS = 20;

  private static volatile RunningReport running; // of the SparkContext; Python reaches no object

  private final SparkContext spark;
  private final StoreFeeder feeder;
  private final int patience;

  private RunningReport(SparkContext spark, StoreFeeder feeder, int patience) {
    this.spark = spark;
    this.feeder = feeder;
    this.patience = patience;
  }

  static void start(SparkContext spark, StoreFeeder feeder, int patience) {
    running = new RunningReport(spark, feeder, patience);
  }

  static void stop() {
    running = null;
  }

  /**
   * Waits, but not for long, until the tasks that have ended are in it.
   *
   * @return UTF-8 of report.json; null: no profiler runs in this JVM
   */
  public static byte[] json() throws InterruptedException {
    RunningReport report = running;
    if (report == null) {
      return null;
    }
    report.awaitEndedTasks();
    return report.feeder.reportJson(true, true);
  }

  private void awaitEndedTasks() throws InterruptedException {
    try {
      spark.listenerBus().waitUntilEmpty(BUS_MILLIS * patience);
    } catch (TimeoutException busy) {
      // The report then lacks what comes later.
    }
    long begin = System.nanoTime();
    while (!feeder.idle() || feeder.awaitsSymbols()) {
      if (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) >= NAMES_MILLIS * patience) {
        return;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
