package org.sparkmemprof.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.apache.spark.SparkConf;
import org.sparkmemprof.jni.NativeStore;
import org.sparkmemprof.notices.OurThreads;
import org.sparkmemprof.report.StoreFeeder;

/**
 * Source text that executors don't have: the cells of the driver's notebook, by the number that its
 * user sees, and scripts that lie on the driver's host only. Thread-safe.
 */
final class DriverSources {
  private static final int MOST_SCRIPTS = 64;
  private static final int MOST_NAMED = 1024; // most of them may be no files
  private static final long MOST_BYTES = 256 << 10; // of one script

  private final StoreFeeder feeder;
  private final Settings.Source source;
  private final String redaction;
  private final Set<String> named = ConcurrentHashMap.newKeySet(); // by call sites
  private int read; // by our thread alone
  // A script's file system may hang.
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(OurThreads.daemon("scripts"));

  DriverSources(StoreFeeder feeder, Settings settings, SparkConf conf) {
    this.feeder = feeder;
    source = settings.source;
    redaction = conf.get("spark.redaction.regex", "");
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
   * A file of the user's program on this host, absolute as Python names it; it is read as it is
   * now. The caller answers for it that the user may see it. Never throws, never waits.
   */
  void script(String path) {
    onOurThread(() -> read(path));
  }

  /** As {@link #script}, but only the first time that this path is named. */
  void namedScript(String path) {
    if (named.size() < MOST_NAMED && named.add(path)) {
      script(path);
    }
  }

  /** The script that spark-submit was given, as its user wrote it. Never throws, never waits. */
  void submittedScript(String words) {
    onOurThread(
        () -> {
          Path path = Paths.get(words).toAbsolutePath();
          for (String name : new TreeSet<>(Arrays.asList(path.toString(), canonical(path)))) {
            read(name); // Spark hands on one or the other
          }
        });
  }

  void close() {
    thread.shutdownNow();
  }

  private void onOurThread(Runnable work) {
    if (source == Settings.Source.LINES) {
      try {
        thread.execute(work);
      } catch (RejectedExecutionException ended) {
        // The application has.
      }
    }
  }

  private static String canonical(Path path) {
    try {
      return path.toFile().getCanonicalPath();
    } catch (IOException e) {
      return path.toString();
    }
  }

  private void read(String path) {
    try {
      Path file = Paths.get(path);
      if (read >= MOST_SCRIPTS || !Files.isRegularFile(file) || Files.size(file) > MOST_BYTES) {
        return;
      }
      read++;
      byte[] message = NativeStore.scriptMessage(path, Files.readAllBytes(file), redaction);
      if (message != null) {
        feeder.ingest(message);
      }
    } catch (IOException | RuntimeException e) {
      // The report has the script's lines without their text.
    }
  }
}
