package org.sparkmemprof;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.sparkmemprof.plugin.AskedByPython;
import org.sparkmemprof.plugin.DriverSide;
import org.sparkmemprof.plugin.ExecutorSide;

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
    return AskedByPython.failureNote(failure);
  }

  /**
   * Called by the driver's Python half, of a cell of its notebook that runs or has run.
   *
   * @param file the kernel's name for the cell, which the frames of executors have
   * @param number of its execution: {@code In[number]}
   */
  public static void notebookCell(String file, int number, String text) {
    AskedByPython.notebookCell(file, number, text);
  }

  /**
   * Called by the driver's Python half, of a file of the user's whose functions its notebook has.
   *
   * @param path absolute, on this host
   */
  public static void script(String path) {
    AskedByPython.script(path);
  }

  /**
   * Called by the driver's Python half.
   *
   * @return UTF-8 of report.json as of now; null: no profiler runs in this JVM
   */
  public static byte[] report() throws InterruptedException {
    return AskedByPython.report();
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
