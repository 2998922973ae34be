package org.sparkmemprof.jni;

/**
 * The executor's half of {@code libsparkmemprof.so}: threads to tasks, closing of tasks, messages
 * for the driver.
 *
 * <p>With {@code -agentpath} the natives resolve without any load; otherwise {@link NativeLibrary}
 * loads the library out of the jar first. Every method is thread-safe, throws nothing but {@link
 * UnsatisfiedLinkError}, and does nothing useful when the agent is inert. Bytes are serialised
 * {@code memprof.proto.Envelope} messages, opaque to Java.
 */
public final class NativeAgent {
  private NativeAgent() {}

  /** Version of the library, for comparison with the jar's. */
  public static native String version();

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

  /** Spark's memory manager as of now, in bytes; read by the watcher at its next tick. */
  public static native void sparkMemory(
      long storageUsed, long executionUsed, long heapUsed, long heapMax, long heapCommitted);

  /**
   * Waits for the next message to the driver.
   *
   * @return the message, or null after {@code timeoutMillis} or once {@link #stop} was called
   */
  public static native byte[] takeMessage(long timeoutMillis);

  /**
   * Ends watcher and hooks and makes the last snapshot, which {@link #takeMessage} still hands out.
   * Idempotent.
   */
  public static native void stop();
}
