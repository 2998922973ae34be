package org.sparkmemprof.plugin;

/**
 * What the driver's Python asks of the SparkContext that runs in this JVM. Python reaches static
 * methods only, so the answers are of whichever SparkContext runs.
 */
public final class AskedByPython {
  private static volatile AskedByPython running;

  /** They outlive their SparkContext: the program sees what failed with it when it has ended. */
  private static volatile FailureNotes latestFailures;

  private final DriverSources sources;
  private final RunningReport report;
  private final FailureNotes failures;

  AskedByPython(DriverSources sources, RunningReport report, FailureNotes failures) {
    this.sources = sources;
    this.report = report;
    this.failures = failures;
  }

  void start() {
    running = this;
    latestFailures = failures;
  }

  /** Not if another SparkContext's has begun since. */
  static void stop(AskedByPython asked) {
    if (running == asked) {
      running = null;
    }
  }

  /** See {@link DriverSources#cell}. */
  public static void notebookCell(String file, int number, String text) {
    AskedByPython asked = running;
    if (asked != null) {
      asked.sources.cell(file, number, text);
    }
  }

  /** See {@link DriverSources#script}. */
  public static void script(String path) {
    AskedByPython asked = running;
    if (asked != null) {
      asked.sources.script(path);
    }
  }

  /**
   * See {@link RunningReport#json}.
   *
   * @return null: no profiler runs in this JVM
   */
  public static byte[] report() throws InterruptedException {
    AskedByPython asked = running;
    return asked == null ? null : asked.report.json();
  }

  /** See {@link FailureNotes#of}. */
  public static String failureNote(Throwable failure) {
    FailureNotes notes = latestFailures;
    if (notes != null && notes.isOver()) {
      latestFailures = null;
      return "";
    }
    return notes == null ? "" : notes.of(failure);
  }
}
