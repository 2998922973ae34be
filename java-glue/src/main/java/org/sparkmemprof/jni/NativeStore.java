package org.sparkmemprof.jni;

/**
 * The driver's half of {@code libsparkmemprof.so}: the profile store, in native memory. A store is
 * a handle; all methods are thread-safe and mirror {@code common/store/profile_store.h}. Times are
 * epoch milliseconds, sizes MiB where named so, -1 = not given.
 */
public final class NativeStore {
  private NativeStore() {}

  /**
   * @param patience factor on waits that give up, for a busy machine
   * @return a handle, never 0; release it with {@link #close}.
   */
  public static native long open(long limitBytes, int patience);

  public static native void close(long store);

  public static native void notAvailable(long store, String what, String why);

  /** True while sites that the report would show still wait for their native names. */
  public static native boolean awaitsSymbols(long store);

  /**
   * UTF-8 of the next death that has not been reported yet, a few lines, some seconds after it
   * became known. The same again until {@link #postMortemTold}.
   *
   * @param all without that delay, because the application ends
   * @return null: none
   */
  public static native byte[] nextPostMortem(long store, long nowMs, boolean all);

  /** What {@link #nextPostMortem} has given is reported. */
  public static native void postMortemTold(long store);

  /**
   * Where Java code writes its last report. If the JVM ends before it does and closes the store, as
   * in a full heap, native code writes the report there.
   *
   * @param directory on this machine; null: it is elsewhere, or could not be opened, and native
   *     code only tells what it knows, on stderr
   * @return why it can't; null: it will
   */
  public static native String willBeReported(long store, String directory, boolean withSource);

  /** Java code has written it. */
  public static native void isReported(long store);

  /**
   * One sentence about the death that caused a job's failure.
   *
   * @param failure text of Spark's exception and of its causes
   * @param jobId -1: not known (yet), or it is not of a job
   * @param task the attempt that failed last; -1: not by an exception
   * @return "": a death, but no fitting one is known yet; null: not a death
   */
  public static native String failureNote(
      long store, String failure, int jobId, long[] stages, long task, long nowMs);

  /**
   * Parts of the report that are to be written into Spark's event log now, about a megabyte of
   * them; call it until there are none.
   *
   * @param end the application ends, and nothing comes later
   * @return part, id and text of each, alternating; null: none
   */
  public static native String[] takeEvents(long store, long nowMs, boolean end, boolean withSource);

  /**
   * What the user of a notebook knows a cell by.
   *
   * @param file the kernel's name for it; other files are ignored
   * @param number of its execution
   * @param text its code; "": it must not be shown
   * @param redaction Spark's {@code spark.redaction.regex}; "": its default
   */
  public static native void notebookCell(
      long store, String file, int number, String text, String redaction);

  /**
   * The message for {@link #ingest} about a script that the driver has and executors don't.
   *
   * @param path absolute, as Python names the file in frames
   * @param text UTF-8
   * @param redaction as for {@link #notebookCell}; it may take seconds
   * @return null: it can't be shown
   */
  public static native byte[] scriptMessage(String path, byte[] text, String redaction);

  /** What {@link #metrics} gives, in its order. */
  public static native String[] metricNames();

  /**
   * @return figures of the report, -1 = not measured
   */
  public static native long[] metrics(long store);
}
