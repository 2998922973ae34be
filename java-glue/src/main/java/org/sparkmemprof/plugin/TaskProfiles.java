package org.sparkmemprof.plugin;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.util.TaskCompletionListener;
import org.sparkmemprof.accumulator.AccumulatorTemplate;
import org.sparkmemprof.accumulator.ProfileAccumulator;
import org.sparkmemprof.jni.NativeAgent;

/**
 * The running tasks of this executor and their accumulators. A task's profile goes into its
 * accumulator every few seconds while it runs, for heartbeats to carry, and finally when it
 * completes.
 */
final class TaskProfiles {
  private static final int SNAPSHOT_MAX_BYTES = 4 << 10;

  private final AccumulatorTemplate template;
  private final Settings settings;
  private final Notices notices;
  private final Map<Long, ProfileAccumulator> running = new ConcurrentHashMap<>();
  private final ScheduledExecutorService poll =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("poll"));

  TaskProfiles(AccumulatorTemplate template, Settings settings, Notices notices) {
    this.template = template;
    this.settings = settings;
    this.notices = notices;
    poll.scheduleWithFixedDelay(guarded(this::memoryOfSpark), 0, 1, TimeUnit.SECONDS);
    poll.scheduleWithFixedDelay(
        guarded(this::snapshots),
        settings.snapshotSeconds,
        settings.snapshotSeconds,
        TimeUnit.SECONDS);
  }

  /** On the task's own thread, before its code runs; never throws. */
  void started(TaskContext task) {
    try {
      long id = task.taskAttemptId();
      ProfileAccumulator accumulator = template.copyForThisTask();
      NativeAgent.taskStarted(
          id, task.stageId(), task.stageAttemptNumber(), task.partitionId(), task.attemptNumber());
      running.put(id, accumulator);
      // Listeners run last in first out: this one, added before the task's own, runs when they are
      // done, and still before Spark collects the accumulators.
      TaskCompletionListener listener = completed -> completed(id, accumulator);
      task.addTaskCompletionListener(listener);
    } catch (Throwable e) {
      notices.report("the profile of some tasks", String.valueOf(e));
    }
  }

  /** In the task's completion listener, where anything thrown would fail the task. */
  private void completed(long id, ProfileAccumulator accumulator) {
    try {
      running.remove(id);
      accumulator.close(NativeAgent.taskClosed(id, settings.taskMaxBytes));
    } catch (Throwable e) {
      notices.report("the profile of some tasks", String.valueOf(e));
    }
  }

  private void snapshots() {
    for (Map.Entry<Long, ProfileAccumulator> task : running.entrySet()) {
      task.getValue().snapshot(NativeAgent.taskSnapshot(task.getKey(), SNAPSHOT_MAX_BYTES));
    }
  }

  private void memoryOfSpark() {
    SparkEnv env = SparkEnv.get();
    if (env == null) {
      return; // Spark is stopping
    }
    MemoryManager memory = env.memoryManager();
    Runtime runtime = Runtime.getRuntime();
    NativeAgent.sparkMemory(
        memory.onHeapStorageMemoryUsed(),
        memory.onHeapExecutionMemoryUsed(),
        runtime.totalMemory() - runtime.freeMemory(),
        runtime.maxMemory(),
        runtime.totalMemory());
  }

  private Runnable guarded(Runnable body) {
    return () -> {
      try {
        body.run();
      } catch (Throwable e) {
        notices.report("interim profiles", String.valueOf(e));
      }
    };
  }

  void close() {
    poll.shutdownNow();
    running.clear();
  }
}
