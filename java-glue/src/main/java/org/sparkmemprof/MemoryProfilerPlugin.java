package org.sparkmemprof;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.sparkmemprof.plugin.DriverSide;
import org.sparkmemprof.plugin.ExecutorSide;
import org.sparkmemprof.plugin.FailureNotes;

/**
 * The name in {@code spark.plugins}: {@code --conf
 * spark.plugins=org.sparkmemprof.MemoryProfilerPlugin}. Needs a public constructor without
 * arguments; Spark makes one instance for the driver's side and one for each executor's.
 */
public final class MemoryProfilerPlugin implements SparkPlugin {
  /**
   * Called by the driver's Python half: the note to add to the exception of a failed job.
   *
   * @return which death made the job fail, and where its post-mortem is; "": no death did.
   */
  public static String failureNote(Throwable failure) {
    return FailureNotes.of(failure);
  }

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverSide();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorSide();
  }
}
