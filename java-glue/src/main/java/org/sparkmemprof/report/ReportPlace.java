package org.sparkmemprof.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;

/**
 * Tells the process that started this JVM where the running application's report is: if the JVM is
 * killed, that process adds the JVM's death to it ({@code cli/driver_watch.py}). It names a private
 * directory of its own for that in the environment. Failures cost only what it would have added.
 */
public final class ReportPlace {
  private static final String DIRECTORY = "SPARKMEMPROF_LAST_REPORT";

  private ReportPlace() {}

  /** Whether anybody waits to be told. */
  public static boolean isWanted() {
    return System.getenv(DIRECTORY) != null;
  }

  /**
   * Writes it down if it is wanted. Never throws.
   *
   * @param location of a report that exists; "": an application runs, and has none yet
   */
  public static void tell(String location) {
    if (isWanted()) {
      tell(location, System.getenv(DIRECTORY));
    }
  }

  static void tell(String location, String directory) {
    try {
      Path file = file(directory);
      Path draft = file.resolveSibling(file.getFileName() + ".draft");
      Files.write(draft, location.getBytes(StandardCharsets.UTF_8));
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException e) {
      // The process that waited for it may be gone.
    }
  }

  /** The application has ended: a later death of this JVM is none of its. Never throws. */
  public static void forget() {
    if (isWanted()) {
      forget(System.getenv(DIRECTORY));
    }
  }

  static void forget(String directory) {
    try {
      Files.deleteIfExists(file(directory));
    } catch (IOException | RuntimeException e) {
      // As above.
    }
  }

  /** A child of the program may be a driver, too. */
  static Path file(String directory) {
    String pid =
        ManagementFactory.getRuntimeMXBean().getName().split("@")[0]; // as HotSpot names it
    return Paths.get(directory, pid + ".report-place");
  }
}
