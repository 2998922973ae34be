package org.sparkmemprof.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * Tells the process that started this JVM where the report is: if the JVM is killed, that process
 * adds the JVM's death to it ({@code cli/driver_watch.py}). It names a private directory of its own
 * for that in the environment.
 */
public final class ReportPlace {
  private static final String DIRECTORY = "SPARKMEMPROF_LAST_REPORT";
  static final String FILE = "report-place";

  private ReportPlace() {}

  /** Whether anybody waits to be told. */
  public static boolean isWanted() {
    return System.getenv(DIRECTORY) != null;
  }

  /** Writes it down if it is wanted. A failure costs only what the parent would have added. */
  static void tell(String location) {
    if (isWanted()) {
      tell(location, Paths.get(System.getenv(DIRECTORY)));
    }
  }

  static void tell(String location, Path directory) {
    try {
      Files.write(directory.resolve(FILE), location.getBytes(StandardCharsets.UTF_8));
    } catch (IOException | RuntimeException e) {
      // The process that waited for it may be gone.
    }
  }
}
