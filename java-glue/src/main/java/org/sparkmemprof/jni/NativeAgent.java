package org.sparkmemprof.jni;

/**
 * The executor's half of {@code libsparkmemprof.so}: threads to tasks, closing of tasks, messages
 * for the driver.
 *
 * <p>With {@code -agentpath} the natives resolve without any load; otherwise {@link NativeLibrary}
 * loads the library from the jar first. Every method is thread-safe, throws nothing but {@link
 * UnsatisfiedLinkError}, and does nothing when the agent is inert. Bytes are serialised {@code
 * memprof.proto.Envelope} messages, opaque to Java.
 */
public final class NativeAgent {
  private NativeAgent() {}

  /** Version of the library, for comparison with the jar's. */
  public static native String version();

  /**
   * Bytes that the cluster manager grants an executor and enforces itself; 0: it doesn't. What its
   * ResourceProfile requests is in MiB; negative: the settings count.
   *
   * @param configuration keys and values of Spark's settings, alternating
   */
  public static native long grantedBytes(
      String[] configuration, long heapMib, long overheadMib, long offHeapMib, long pysparkMib);

  /** Likewise, for a driver, which is granted something in cluster mode only. */
  public static native long grantedToDriver(String[] configuration);

  /**
   * Starts (or, after {@code -agentpath}, completes) the agent in this executor: capabilities,
   * hooks, watcher.
   *
   * @param options {@code key=value} strings, each the part of {@code spark.memprof.X} behind the
   *     prefix; they win over the agent path's
   * @return null when profiling is on; otherwise the reason why the agent is inert, one line
   */
  public static native String start(
      String applicationId, String executorId, String host, String boxDirectory, String[] options);

  /** The current thread begins this task; threads it starts inherit the task until it is closed. */
  public static native void taskStarted(
      long taskAttemptId, int stageId, int stageAttempt, int partition, int attemptNumber);

  /**
   * Closes the task: joins every Python session of it with the JVM's own tables. Called on the
   * task's thread, in its completion listener.
   *
   * @param maxBytes bound on the result's size
   * @return the final profile, or null when there is none
   */
  public static native byte[] taskClosed(long taskAttemptId, int maxBytes);

  /**
   * An interim profile of a running task (≤ maxBytes), or null when nothing is known yet. Any
   * thread.
   */
  public static native byte[] taskSnapshot(long taskAttemptId, int maxBytes);

  /**
   * Spark's memory manager and the size of the heap as of now, in bytes; read by the watcher at its
   * next tick. What of the heap is in use is only known after a collection ({@link
   * #collectionEnded}).
   *
   * @param unroll in which tasks unroll blocks before these are stored, a part of storage, on-heap
   *     and off-heap together; negative: not known
   */
  public static native void sparkMemory(
      long storageUsed, long executionUsed, long heapMax, long heapCommitted, long unroll);

  /**
   * Spark's unified memory of one mode as of now, in bytes.
   *
   * @param max of storage and execution together
   * @param storageRegion storage's own share; -1: not known
   * @param storagePool what storage may take without borrowing more
   */
  public static native void sparkPool(
      boolean offHeap,
      long max,
      long storageRegion,
      long storageUsed,
      long executionUsed,
      long storagePool);

  /**
   * What each consumer of execution memory of a running task holds now, in bytes; a name may occur
   * more than once.
   */
  public static native void taskConsumers(
      long taskAttemptId, String[] classes, long[] onHeapBytes, long[] offHeapBytes);

  /** Spark's own metrics of the task, in bytes. */
  public static native void taskMetrics(
      long taskAttemptId, long peakExecution, long memorySpilled, long diskSpilled);

  /**
   * The JVM's garbage collectors, by name, before the first {@link #collectionEnded}.
   *
   * @param why why collections will not be reported; empty when they will be
   */
  public static native void collectors(String[] names, String why);

  /**
   * A collection has ended. Times are GcInfo's milliseconds, bytes are those of the heap.
   *
   * @param maxBytes the most the heap may have; negative when not known
   */
  public static native void collectionEnded(
      String collector,
      String action,
      String cause,
      long startMillis,
      long endMillis,
      long beforeBytes,
      long afterBytes,
      long maxBytes);

  /**
   * Waits for the next message to the driver.
   *
   * @return the message, or null after {@code timeoutMillis} or once {@link #stop} was called
   */
  public static native byte[] takeMessage(long timeoutMillis);

  /**
   * Ends watcher and hooks and makes the last snapshot, which {@link #takeMessage} still returns.
   * Idempotent.
   */
  public static native void stop();
}
