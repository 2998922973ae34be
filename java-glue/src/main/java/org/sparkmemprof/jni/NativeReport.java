package org.sparkmemprof.jni;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A store's report as of one moment, and its views in UTF-8: mirrors {@code
 * common/report/views/views.h}. It lives in native memory as a handle, which stays valid after the
 * store is closed; not thread-safe. Long texts are written in pieces of 64 KiB, so that the
 * driver's heap need not hold them.
 */
public final class NativeReport {
  private NativeReport() {}

  /**
   * @param unfinished the application still runs
   * @param withSource with the text of source lines
   * @return a handle; release it with {@link #free}; 0 for the store 0
   * @throws OutOfMemoryError without native memory
   */
  public static native long make(long store, boolean unfinished, boolean withSource);

  /**
   * Writes report.json. After an exception what is written is incomplete.
   *
   * @param to not null
   * @throws IOException the stream's
   * @throws OutOfMemoryError without native memory
   * @throws IllegalStateException the handle is 0
   */
  public static native void json(long report, OutputStream to) throws IOException;

  /** The same where no HTML file is written after it: the text is not packed for that one. */
  public static native void jsonAlone(long report, OutputStream to) throws IOException;

  /** Writes the HTML file; throws as {@link #json}. */
  public static native void html(long report, OutputStream to) throws IOException;

  /** All of report.json at once; null without memory. */
  public static native byte[] wholeJson(long report);

  /** The terminal's text, null without memory; {@code maxLines} 0 = no bound. */
  public static native byte[] text(long report, int width, int maxLines);

  /** What the worst of its post-mortems says in a sentence; null: it has none. */
  public static native String headline(long report);

  /** Whether it asks a person to do something: a death, a finding, an end not seen. */
  public static native boolean callsForAction(long report);

  public static native void free(long report);
}
