package org.sparkmemprof.listener;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskFailedReason;

/**
 * Which job failed with which exception: the one that Spark throws in the program, or a cause of
 * it. Kept as long as the exception is referenced. Thread-safe.
 */
public final class FailedJobs {
  static final int MOST_RUNNING = 1_000; // the ends of some may have been dropped by Spark's bus

  private static final int MOST_CAUSES = 16; // a chain may be a circle

  /** The program may get a job's exception long before the listeners. */
  private static final long LATELY_NANOS = 10_000_000_000L;

  /** By id, so in order of their starts. */
  private final ConcurrentSkipListMap<Integer, Job> running = new ConcurrentSkipListMap<>();

  private final Map<Throwable, Job> failed = Collections.synchronizedMap(new WeakHashMap<>());
  private final LongSupplier nanos;
  private volatile long lastEnd;

  /** A job, its stages, and which of their tasks failed last. */
  public static final class Job {
    public final int id;
    public final long[] stages;
    private volatile long failedTask = -1;

    Job(int id, long[] stages) {
      this.id = id;
      this.stages = stages;
    }

    /** The attempt that failed last, if by an exception of its own; else -1. */
    public long failedTask() {
      return failedTask;
    }
  }

  public FailedJobs() {
    this(System::nanoTime);
  }

  FailedJobs(LongSupplier nanos) {
    this.nanos = nanos;
    lastEnd = nanos.getAsLong() - LATELY_NANOS;
  }

  void started(int job, long[] stages) {
    running.put(job, new Job(job, stages));
    if (running.size() > MOST_RUNNING) {
      running.pollFirstEntry();
    }
  }

  void taskEnded(int stage, long task, TaskEndReason reason) {
    if (!(reason instanceof TaskFailedReason)) {
      return;
    }
    for (Job job : running.values()) {
      if (Arrays.stream(job.stages).anyMatch(id -> id == stage)) {
        job.failedTask = reason instanceof ExceptionFailure ? task : -1;
      }
    }
  }

  /**
   * @param failure null: it succeeded
   */
  void ended(int job, Throwable failure) {
    lastEnd = nanos.getAsLong();
    Job ended = running.remove(job);
    if (failure != null && ended != null) {
      failed.put(failure, ended);
    }
  }

  /** Whether an exception that is none of a known job may still become one's. */
  public boolean anyLately() {
    return !running.isEmpty() || nanos.getAsLong() - lastEnd < LATELY_NANOS;
  }

  /** Null: none is known (yet). The program may get the exception before the listeners. */
  public Job of(Throwable failure) {
    Throwable at = failure;
    for (int i = 0; at != null && i < MOST_CAUSES; i++, at = at.getCause()) {
      Job job = failed.get(at);
      if (job != null) {
        return job;
      }
    }
    return null;
  }

  /** The text of the exception and of its causes, at least one line each. */
  public static String textOf(Throwable failure) {
    StringBuilder text = new StringBuilder();
    Throwable at = failure;
    for (int i = 0; at != null && i < MOST_CAUSES; i++, at = at.getCause()) {
      text.append(at).append('\n');
    }
    return text.toString();
  }
}
