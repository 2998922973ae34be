package org.sparkmemprof.report;

/** The report as of now, and its views, all in UTF-8. */
interface Report {
  /** True once there is nothing left to write. */
  boolean isClosed();

  /** The text of report.json; null once it is closed. */
  byte[] json(boolean unfinished, boolean withSource);

  /** The text of report.html; null when the JSON can't be read. */
  byte[] html(byte[] json);

  /** Its first lines for a log; null when the JSON can't be read. */
  byte[] summary(byte[] json);

  /** True when the report asks a person to do something. */
  boolean callsForAction(byte[] json);
}
