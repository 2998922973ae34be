package org.sparkmemprof.jni;

/**
 * The driver's half of {@code libsparkmemprof.so}: the profile store, in native memory. A store is
 * a handle; all methods are thread-safe and mirror {@code common/store/profile_store.h}. Times are
 * epoch milliseconds, sizes MiB where named so, -1 = not given.
 */
public final class NativeStore {
  private NativeStore() {}

  /**
   * @return a handle, never 0; release it with {@link #close}.
   */
  public static native long open(long limitBytes);

  public static native void close(long store);

  /**
   * @return null, or why the message was refused.
   */
  public static native String ingest(long store, byte[] envelope);

  public static native void applicationStarted(
      long store,
      String id,
      String name,
      String sparkVersion,
      String pythonVersion,
      String master,
      long timeMs);

  /**
   * @param entries alternating keys and values.
   */
  public static native void configuration(long store, String[] entries);

  public static native void executorAdded(
      long store,
      String id,
      String host,
      int cores,
      long heapMib,
      long overheadMib,
      long offHeapMib,
      long pysparkMib,
      long timeMs);

  public static native void executorRemoved(long store, String id, String reason, long timeMs);

  public static native void stageSubmitted(
      long store, int stageId, int attempt, String name, String callSite, int tasks, long timeMs);

  public static native void stageCompleted(
      long store, int stageId, int attempt, String failureReason, long timeMs);

  /**
   * @param outcome 0 succeeded, 1 failed, 2 killed, 3 lost.
   */
  public static native void taskEnded(
      long store,
      long taskAttemptId,
      int stageId,
      int stageAttempt,
      int partition,
      int attemptNumber,
      String executorId,
      int outcome,
      String error,
      long timeMs);

  public static native void applicationEnded(long store, long timeMs);

  public static native void notAvailable(long store, String what, String why);

  /** True while sites that the report would show still wait for their native names. */
  public static native boolean awaitsSymbols(long store);

  /**
   * UTF-8 of each death that has not been told yet, a few lines each; every death comes once, some
   * seconds after it became known.
   *
   * @param all without that patience: the application ends
   * @return null: none
   */
  public static native byte[][] takePostMortems(long store, long nowMs, boolean all);

  /**
   * Parts of the report that are to be written into Spark's event log now, about a megabyte of
   * them; call it until there are none.
   *
   * @param end nothing comes after it: the application ends
   * @return part, id and text of each, in turns; null: none
   */
  public static native String[] takeEvents(long store, long nowMs, boolean end, boolean withSource);

  /** What {@link #metrics} gives, in its order. */
  public static native String[] metricNames();

  /**
   * @return figures of the report, -1 = not measured
   */
  public static native long[] metrics(long store);

  /** UTF-8 of report.json; {@code withSource}: with the text of source lines. */
  public static native byte[] reportJson(long store, boolean unfinished, boolean withSource);

  /** UTF-8 of the HTML file made from a report.json; null when it cannot be read. */
  public static native byte[] html(byte[] reportJson);

  /** UTF-8 of the terminal text; {@code maxLines} 0 = no bound. */
  public static native byte[] text(byte[] reportJson, int width, int maxLines);
}
