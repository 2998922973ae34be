package org.sparkmemprof.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Tells the process that started this JVM where an application's report is: while it runs, so that
 * the JVM's death can be added if it is killed, and when it has ended, so that what the driver's
 * Python held can be added ({@code cli/report_places.py}). That process names a private directory
 * of its own for this in the environment. Failures cost only what it would have added. Thread-safe.
 */
public final class ReportPlace {
  private static final String DIRECTORY = "SPARKMEMPROF_LAST_REPORT";

  private final String directory; // null: nobody waits to be told
  private final String mark;
  private final int patience;
  private String line; // guarded by this; null: the application hasn't begun, or has ended

  /**
   * @param showsPython the application's report may show what the driver's Python held
   * @param patience factor on how long that process waits for this JVM, for a busy machine
   */
  public ReportPlace(boolean showsPython, int patience) {
    this(System.getenv(DIRECTORY), showsPython, patience);
  }

  ReportPlace(String directory, boolean showsPython, int patience) {
    this(directory, showsPython ? "shown " : "hidden ", patience);
  }

  private ReportPlace(String directory, String mark, int patience) {
    this.directory = directory;
    this.mark = mark;
    this.patience = patience;
  }

  /** For an application that isn't profiled: it is counted, no more. Never throws. */
  public static void tellAbsent() {
    tellAbsent(System.getenv(DIRECTORY));
  }

  static void tellAbsent(String directory) {
    ReportPlace place = new ReportPlace(directory, "absent ", 1);
    place.begin();
    place.end();
  }

  /** Whether anybody waits to be told. */
  public boolean isWanted() {
    return directory != null;
  }

  /** An application runs, and has no report yet. Never throws. */
  public synchronized void begin() {
    if (isWanted() && patience > 1) {
      write("patience", Integer.toString(patience)); // first: who sees the application knows it
    }
    put("");
  }

  /**
   * Writes it down if it is wanted and the application runs. Never throws.
   *
   * @param location of a report that exists
   */
  synchronized void tell(String location) {
    if (line != null && !line.equals(mark + location)) {
      put(location);
    }
  }

  private void put(String location) {
    if (!isWanted()) {
      return;
    }
    line = mark + location;
    write("report-place", line);
  }

  private void write(String what, String text) {
    try {
      Path draft = file(what + ".draft");
      Files.write(draft, text.getBytes(StandardCharsets.UTF_8));
      Files.move(draft, file(what), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException e) {
      // The process that waited for it may be gone.
    }
  }

  /**
   * The application has ended: a later death of this JVM is none of its. Its line joins those of
   * this JVM's ended applications. What is there may be a checkpoint, if the final report could not
   * be written. Never throws.
   */
  public synchronized void end() {
    if (line == null) {
      return;
    }
    try {
      Files.write(
          file("ended-reports"),
          (line + "\n").getBytes(StandardCharsets.UTF_8),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException | RuntimeException full) {
      rename("report-place", "last.ended-reports"); // that takes no room
    }
    line = null;
    try {
      Files.deleteIfExists(file("report-place")); // last: whoever waits for the end finds the line
    } catch (IOException | RuntimeException e) {
      // As above.
    }
  }

  private void rename(String from, String to) {
    try {
      Files.move(file(from), file(to), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException e) {
      // As above.
    }
  }

  /** A child of the program may be a driver, too. */
  private Path file(String what) {
    String pid =
        ManagementFactory.getRuntimeMXBean().getName().split("@")[0]; // as HotSpot names it
    return Paths.get(directory, pid + "." + what);
  }
}
