package org.sparkmemprof.report;

import java.io.IOException;
import java.io.OutputStream;

/** The report as of one moment, and its views, all in UTF-8. For one thread at a time. */
interface Report extends AutoCloseable {
  /** Where reports come from. Thread-safe. */
  interface Source {
    /** True once there is nothing left to write. */
    boolean isClosed();

    /**
     * Reports will be written there: also the last one, whatever becomes of this JVM.
     *
     * @param directory on this machine; null: elsewhere
     */
    void goTo(String directory, boolean withSource);

    /** The last one is written. */
    void isThere();

    /** Makes the report as of now, to be closed; null once this is closed. */
    Report make(boolean unfinished, boolean withSource);
  }

  /**
   * Writes report.json.
   *
   * @param pageFollows report.html is written after it, which is then cheaper
   */
  void json(OutputStream to, boolean pageFollows) throws IOException;

  /** Writes report.html. */
  void html(OutputStream to) throws IOException;

  /** Its first lines for a log; null without memory. */
  byte[] summary();

  /** The worst of its post-mortems in a sentence; null: it has none. */
  String headline();

  /** True when the report asks a person to do something. */
  boolean callsForAction();

  @Override
  void close();
}
