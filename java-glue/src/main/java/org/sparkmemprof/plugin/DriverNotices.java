package org.sparkmemprof.plugin;

import java.util.HashSet;
import java.util.Set;
import org.sparkmemprof.notices.Log;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.OneLine;

/**
 * Notices of the driver and of its executors: one WARN each, and a line in the report. What comes
 * of executors may be anything, and any number of it; so each text becomes one short line, and
 * after some lines they are only counted. Thread-safe.
 */
final class DriverNotices implements Notices {
  /** Of executors. The store keeps 200 lines, and ours have to be among them. */
  static final int MOST_LINES = 100;

  static final int WHAT_CHARS = 200; // it may be the path of a directory
  static final int WHY_CHARS = 1_000;

  /** The report's {@code notAvailable}. */
  interface Report {
    void line(String what, String why);
  }

  private final Set<String> told = new HashSet<>(); // guarded by this, as the next two
  private int lines; // of executors
  private long untold;
  private volatile Report report; // null: there is none yet

  /** From now on notices also go to the report. */
  void attach(Report newReport) {
    report = newReport;
  }

  @Override
  public void report(String what, String why) {
    report(what, why, false);
  }

  /** As {@link #report}, for a notice that came as a message. */
  void reportOfExecutor(String what, String why) {
    report(what, why, true);
  }

  private void report(String what, String why, boolean ofExecutor) {
    try {
      String part = OneLine.of(what, WHAT_CHARS);
      if (ofExecutor ? isNewOfExecutor(part) : isNew(part)) {
        warn(part, why);
      }
    } catch (OutOfMemoryError full) {
      // The driver's own heap has no room even for this.
    }
  }

  /** For the report alone; {@code what} is ours. */
  void lineOfExecutor(String what, String why) {
    if (hasRoom()) {
      addLine(what, OneLine.of(why, WHY_CHARS));
    }
  }

  /**
   * When no more notices come: how many were only counted.
   *
   * @param last takes the line, if there is one
   */
  void tellUntold(Report last) {
    long more = takeUntold();
    if (more > 0) {
      last.line("notices of executors", more + " more came, and were only counted");
    }
  }

  private void warn(String part, String why) {
    String reason = OneLine.of(why, WHY_CHARS);
    Log.LOG.warn("sparkmemprof: {} is off: {}", part, reason);
    addLine(part, reason);
  }

  private void addLine(String what, String why) {
    Report target = report;
    if (target != null) {
      target.line(what, why);
    }
  }

  private synchronized boolean isNew(String part) {
    return told.add(part);
  }

  private synchronized boolean isNewOfExecutor(String part) {
    return !told.contains(part) && hasRoom() && told.add(part);
  }

  private synchronized boolean hasRoom() {
    if (lines == MOST_LINES) {
      untold++;
      return false;
    }
    lines++;
    return true;
  }

  private synchronized long takeUntold() {
    long more = untold;
    untold = 0;
    return more;
  }
}
