package org.sparkmemprof.plugin;

/**
 * What the driver's Python asks of the SparkContext that runs in this JVM. Python reaches static
 * methods only, so the answers are of whichever SparkContext runs.
 */
public final class AskedByPython {
  private static volatile AskedByPython running;

  private final NotebookCells cells;
  private final RunningReport report;
  private final FailureNotes failures;

  AskedByPython(NotebookCells cells, RunningReport report, FailureNotes failures) {
    this.cells = cells;
    this.report = report;
    this.failures = failures;
  }

  void start() {
    running = this;
  }

  static void stop() {
    running = null;
  }

  /** See {@link NotebookCells#tell}. */
  public static void notebookCell(String file, int number, String text) {
    AskedByPython asked = running;
    if (asked != null) {
      asked.cells.tell(file, number, text);
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
    AskedByPython asked = running;
    return asked == null ? "" : asked.failures.of(failure);
  }
}
