package org.sparkmemprof.jni;

/**
 * The report of an application that has ended, made from the parts in its event log: mirrors {@code
 * common/eventlog/event_log_pages.h}. Lives in native memory as a handle; all methods are
 * thread-safe. Answers are read by {@link NativePages}.
 */
public final class NativeHistory {
  private NativeHistory() {}

  /**
   * @return a handle, or 0 without native memory; release it with {@link #close}
   */
  public static native long open();

  public static native void close(long history);

  /** A part as it is in the log; call before the first {@link #answer}. */
  public static native void add(
      long history, String part, String id, int schemaVersion, String text);

  /** There was no room for all parts of the log; the report says so. */
  public static native void full(long history);

  /** A part of the log is larger than any of ours; the report says so. */
  public static native void refused(long history);

  /** What Spark knows about the application; epoch milliseconds, -1: not known. */
  public static native void application(
      long history, String id, String name, String sparkVersion, long startedMs, long endedMs);

  /**
   * See {@link NativePages#answer}; the first one makes the report.
   *
   * @return a handle for {@link NativePages#free}, or 0 without native memory
   */
  public static native long answer(long history, String path, String query);
}
