package org.sparkmemprof.plugin;

import org.apache.spark.SparkConf;
import org.sparkmemprof.report.StoreFeeder;

/**
 * The cells of the driver's notebook, by the number that its user sees. Executors know only the
 * name that the kernel compiled a cell under. The driver's Python tells by {@link
 * org.sparkmemprof.MemoryProfilerPlugin#notebookCell}.
 */
public final class NotebookCells {
  private static volatile NotebookCells running; // of the SparkContext; Python reaches no object

  private final StoreFeeder feeder;
  private final Settings settings;
  private final String redaction;

  private NotebookCells(StoreFeeder feeder, Settings settings, SparkConf conf) {
    this.feeder = feeder;
    this.settings = settings;
    redaction = conf.get("spark.redaction.regex", "");
  }

  static void start(StoreFeeder feeder, Settings settings, SparkConf conf) {
    running = new NotebookCells(feeder, settings, conf);
  }

  static void stop() {
    running = null;
  }

  /** In the store on return. Never throws. Without an application nothing is kept. */
  public static void tell(String file, int number, String text) {
    NotebookCells cells = running;
    // With source=none executors replace the names of the user's files by hashes.
    if (cells == null || file == null || cells.settings.source == Settings.Source.NONE) {
      return;
    }
    String shown = cells.settings.source == Settings.Source.LINES && text != null ? text : "";
    cells.feeder.notebookCell(file, number, shown, cells.redaction);
  }
}
