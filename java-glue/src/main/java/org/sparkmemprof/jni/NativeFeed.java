package org.sparkmemprof.jni;

/**
 * What brings messages and events into a profile store, in the order in which they came: a queue in
 * native memory and a native thread. A feed is a handle. All methods are thread-safe, and nobody
 * waits who adds; what has no room is dropped and counted. They mirror {@code
 * common/store/profile_store.h}. Times are epoch milliseconds, sizes MiB where named so, -1 = not
 * given.
 */
public final class NativeFeed {
  private NativeFeed() {}

  /**
   * Calls each native once, with no feed. A JVM searches a native when it is first called, which
   * takes memory; these must work in a full heap.
   */
  public static void prepare() {
    isIdle(0);
    countDropped(0, false);
    tellDropped(0);
    takeRefusal(0);
    ingest(0, null);
    applicationStarted(0, null, null, null, null, null, 0);
    configuration(0, null);
    executorAdded(0, null, null, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    executorRemoved(0, null, null, 0);
    stageSetting(0, 0, null, null);
    stageSubmitted(0, 0, 0, null, null, 0, 0);
    stageCompleted(0, 0, 0, null, 0);
    taskEnded(0, 0, 0, 0, 0, 0, null, 0, null, 0, 0, 0);
    taskResult(0, 0, 0, 0);
    queryRows(0, 0, 0, false);
    queryStarted(0, 0, null, 0);
    jobStarted(0, 0, null, null, null, 0);
    jobEnded(0, 0, null, 0);
    cachedRdd(0, 0, null, null, false, false, false, false, 0, 0);
    blockUpdated(0, false, 0, 0, null, 0, 0);
    rddUnpersisted(0, 0);
    applicationEnded(0, 0);
    applicationEnding(0, 0);
    notAvailable(0, null, null);
    close(0);
  }

  /**
   * @param store a handle of {@link NativeStore}; it stays open until {@link #close}
   * @return a handle, never 0
   */
  public static native long open(long store);

  /** Ends the thread and forgets what waits. The handle stays good: calls then do nothing. */
  public static native void close(long feed);

  /** True when everything added before the call is in the store. */
  public static native boolean isIdle(long feed);

  /** One more that had no room: a message of an executor, else an event of the driver. */
  public static native void countDropped(long feed, boolean message);

  /** Puts what had no room into the report's {@code notAvailable}. */
  public static native void tellDropped(long feed);

  /**
   * @return how the first message was refused, once, for the log; null: none was
   */
  public static native String takeRefusal(long feed);

  /** A message of an executor, in any order and any number of times. */
  public static native void ingest(long feed, byte[] envelope);

  public static native void applicationStarted(
      long feed,
      String id,
      String name,
      String sparkVersion,
      String pythonVersion,
      String master,
      long timeMs);

  /**
   * @param entries alternating keys and values.
   */
  public static native void configuration(long feed, String[] entries);

  /**
   * @param resourceProfile of stage-level scheduling; 0: the default one
   * @param requests what it asks for itself (bits of ReportResourceProfile::Request)
   * @param taskCpus that it gives to a task; 0: the configuration's
   */
  public static native void executorAdded(
      long feed,
      String id,
      String host,
      int cores,
      long heapMib,
      long overheadMib,
      long offHeapMib,
      long pysparkMib,
      int resourceProfile,
      int requests,
      int taskCpus,
      long timeMs);

  public static native void executorRemoved(long feed, String id, String reason, long timeMs);

  /** A setting that the stage's job ran with: SQL's may change while the application runs. */
  public static native void stageSetting(long feed, int stageId, String key, String value);

  public static native void stageSubmitted(
      long feed, int stageId, int attempt, String name, String callSite, int tasks, long timeMs);

  public static native void stageCompleted(
      long feed, int stageId, int attempt, String failureReason, long timeMs);

  /**
   * @param outcome 0 succeeded, 1 failed, 2 killed, 3 lost.
   * @param launchedMs epoch milliseconds; -1 where not known.
   * @param gcMs how long collections ran meanwhile in the task's executor; -1 where not known.
   */
  public static native void taskEnded(
      long feed,
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

  /**
   * A query of Spark SQL, before its jobs.
   *
   * @param callSite Spark's text, or the user's name for the query
   */
  public static native void queryStarted(long feed, long queryId, String callSite, long timeMs);

  /**
   * @param stageName of the stage whose results the job wants: of the last one, by number.
   * @param properties call site, description, tags, query's id and the lines of the program that
   *     built its plan, as Spark's local properties have them; "": not set.
   */
  public static native void jobStarted(
      long feed, int jobId, long[] stages, String stageName, String[] properties, long timeMs);

  /**
   * Bytes that a successful task has sent to the driver for its job, with its accumulators, which
   * the task's own profile is one of.
   */
  public static native void taskResult(long feed, int stageId, long taskAttemptId, long bytes);

  /**
   * Rows that a successful task has made.
   *
   * @param rows -1: they will not be known
   * @param broadcast of tables that the query broadcasts, not of its result
   */
  public static native void queryRows(long feed, long queryId, long rows, boolean broadcast);

  /**
   * @param failure "": the job succeeded.
   */
  public static native void jobEnded(long feed, int jobId, String failure, long timeMs);

  /** An RDD that is to be cached; may be called again for the same RDD. */
  public static native void cachedRdd(
      long feed,
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
      long feed,
      boolean ofBroadcast,
      long dataset,
      int part,
      String executorId,
      long memoryBytes,
      long diskBytes);

  public static native void rddUnpersisted(long feed, int rddId);

  public static native void applicationEnded(long feed, long timeMs);

  /** The driver's JVM has begun to end: executors that end from now on are not lost. */
  public static native void applicationEnding(long feed, long timeMs);

  /** A line of the report's {@code notAvailable}. */
  public static native void notAvailable(long feed, String what, String why);
}
