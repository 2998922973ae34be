package org.sparkmemprof.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.spark.SparkConf;
import org.sparkmemprof.notices.DaemonThreads;
import org.sparkmemprof.report.StoreFeeder;

/**
 * Source text that executors don't have: the cells of the driver's notebook, by the number that its
 * user sees, and scripts that lie on the driver's host only. Thread-safe.
 */
final class DriverSources {
  private static final int MOST_SCRIPTS = 64;
  private static final long MOST_BYTES = 512 << 10; // of one script

  private final StoreFeeder feeder;
  private final Settings.Source source;
  private final String redaction;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  // A script's file system may hang.
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(DaemonThreads.named("scripts"));

  DriverSources(StoreFeeder feeder, Settings settings, SparkConf conf) {
    this(feeder, settings.source, conf.get("spark.redaction.regex", ""));
  }

  DriverSources(StoreFeeder feeder, Settings.Source source, String redaction) {
    this.feeder = feeder;
    this.source = source;
    this.redaction = redaction;
  }

  /**
   * Executors know only the name that the kernel compiled a cell under; the driver's Python knows
   * more. In the store on return. Never throws.
   */
  void cell(String file, int number, String text) {
    // With source=none executors replace the names of the user's files by hashes.
    if (file == null || source == Settings.Source.NONE) {
      return;
    }
    String shown = source == Settings.Source.LINES && text != null ? text : "";
    feeder.notebookCell(file, number, shown, redaction);
  }

  /**
   * A file of the user's program on this host, absolute as Python names it; it is read once, as it
   * is now. The caller answers for it that the user may see it. Never throws, never waits.
   */
  void script(String path) {
    boolean wanted =
        source == Settings.Source.LINES && path != null && path.matches("/.*\\.py[w]?");
    if (wanted && known.size() < MOST_SCRIPTS && known.add(path)) {
      thread.execute(() -> read(path));
    }
  }

  private void read(String path) {
    try {
      Path file = Paths.get(path);
      if (Files.isRegularFile(file) && Files.size(file) <= MOST_BYTES) {
        feeder.script(path, Files.readAllBytes(file), redaction);
      }
    } catch (IOException | RuntimeException e) {
      // The report has the script's lines without their text.
    }
  }
}
