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

  /** A setting that the stage's job ran with: SQL's may change while the application runs. */
  public static native void stageSetting(long store, int stageId, String key, String value);

  public static native void stageSubmitted(
      long store, int stageId, int attempt, String name, String callSite, int tasks, long timeMs);

  public static native void stageCompleted(
      long store, int stageId, int attempt, String failureReason, long timeMs);

  /**
   * @param outcome 0 succeeded, 1 failed, 2 killed, 3 lost.
   * @param launchedMs epoch milliseconds; -1 where not known.
   * @param gcMs how long collections ran meanwhile in the task's executor; -1 where not known.
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
      long timeMs,
      long launchedMs,
      long gcMs);

  /** Bytes that a successful task has sent to the driver for its job. */
  public static native void taskResult(long store, int stageId, long bytes);

  /** Rows of a query's result that a successful task has made. */
  public static native void queryRows(long store, long queryId, long rows);

  /**
   * A query of Spark SQL, before its jobs.
   *
   * @param callSite Spark's text, or the user's name for the query
   */
  public static native void queryStarted(long store, long queryId, String callSite, long timeMs);

  /**
   * @param stageName of the stage whose results the job wants: of the last one, by number.
   * @param properties call site, description, tags and query's id, as Spark's local properties have
   *     them; "": not set.
   */
  public static native void jobStarted(
      long store, int jobId, long[] stages, String stageName, String[] properties, long timeMs);

  /**
   * @param failure "": the job succeeded.
   */
  public static native void jobEnded(long store, int jobId, String failure, long timeMs);

  /** An RDD that is to be cached; may be called again for the same RDD. */
  public static native void cachedRdd(
      long store,
      int rddId,
      String name,
      String callSite,
      boolean disk,
      boolean memory,
      boolean offHeap,
      boolean deserialized,
      int replication,
      int partitions);

  /**
   * Bytes that a block of an RDD or of a broadcast variable takes in an executor now. Both 0: it
   * was removed.
   *
   * @param part of the RDD the partition, of the variable the piece
   */
  public static native void blockUpdated(
      long store,
      boolean ofBroadcast,
      long dataset,
      int part,
      String executorId,
      long memoryBytes,
      long diskBytes);

  public static native void rddUnpersisted(long store, int rddId);

  public static native void applicationEnded(long store, long timeMs);

  /** The driver's JVM has begun to end: executors that end from now on are not lost. */
  public static native void applicationEnding(long store, long timeMs);

  public static native void notAvailable(long store, String what, String why);

  /** True while sites that the report would show still wait for their native names. */
  public static native boolean awaitsSymbols(long store);

  /**
   * UTF-8 of each death that has not been reported yet, a few lines each; every death comes once,
   * some seconds after it became known.
   *
   * @param all without that delay, because the application ends
   * @return null: none
   */
  public static native byte[][] takePostMortems(long store, long nowMs, boolean all);

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
