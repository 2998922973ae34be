package org.sparkmemprof.plugin;

import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.sparkmemprof.jni.NativeReport;
import org.sparkmemprof.report.Settling.Lack;
import org.sparkmemprof.report.StoreFeeder;

/**
 * The report of the running application, for its own Python process. It needs no Spark UI and no
 * right to view one. Python asks by {@link org.sparkmemprof.MemoryProfilerPlugin#report}.
 */
final class RunningReport {
  private static final long BUS_MILLIS = 5_000;
  private static final long NAMES_MILLIS = 2_000;

  private final SparkContext spark;
  private final StoreFeeder feeder;
  private final int patience;

  RunningReport(SparkContext spark, StoreFeeder feeder, int patience) {
    this.spark = spark;
    this.feeder = feeder;
    this.patience = patience;
  }

  /**
   * Waits, but not for long, until the tasks that have ended are in it.
   *
   * @return UTF-8 of report.json
   * @throws IllegalStateException when the application is ending
   */
  byte[] json() throws InterruptedException {
    awaitEndedTasks();
    long report = feeder.report(true, true);
    if (report == 0) {
      throw new IllegalStateException(feeder.whyNone());
    }
    try {
      return NativeReport.wholeJson(report);
    } finally {
      NativeReport.free(report);
    }
  }

  private void awaitEndedTasks() throws InterruptedException {
    try {
      spark.listenerBus().waitUntilEmpty(BUS_MILLIS * patience);
    } catch (TimeoutException busy) {
      // The report then lacks what comes later.
    }
    feeder.settle(NAMES_MILLIS * patience, () -> Lack.NAMES);
  }
}
