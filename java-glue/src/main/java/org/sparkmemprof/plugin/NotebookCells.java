package org.sparkmemprof.plugin;

import org.apache.spark.SparkConf;
import org.sparkmemprof.report.StoreFeeder;

/**
 * The cells of the driver's notebook, by the number that its user sees. Executors know only the
 * name that the kernel compiled a cell under. The driver's Python tells by {@link
 * org.sparkmemprof.MemoryProfilerPlugin#notebookCell}.
 */
final class NotebookCells {
  private final StoreFeeder feeder;
  private final Settings settings;
  private final String redaction;

  NotebookCells(StoreFeeder feeder, Settings settings, SparkConf conf) {
    this.feeder = feeder;
    this.settings = settings;
    redaction = conf.get("spark.redaction.regex", "");
  }

  /** In the store on return. Never throws. */
  void tell(String file, int number, String text) {
    // With source=none executors replace the names of the user's files by hashes.
    if (file == null || settings.source == Settings.Source.NONE) {
      return;
    }
    String shown = settings.source == Settings.Source.LINES && text != null ? text : "";
    feeder.notebookCell(file, number, shown, redaction);
  }
}
