package org.sparkmemprof.plugin;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.util.TaskCompletionListener;
import org.sparkmemprof.accumulator.AccumulatorTemplate;
import org.sparkmemprof.accumulator.ProfileAccumulator;
import org.sparkmemprof.jni.NativeAgent;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.Rounds;

/**
 * The running tasks of this executor and their accumulators. A task's profile goes into its
 * accumulator every few seconds while it runs, for heartbeats to carry, and finally when it
 * completes. The figures of Spark's memory manager are passed to the agent meanwhile, often while
 * tasks run.
 */
final class TaskProfiles {
  private static final String INTERIM = "interim profiles";
  private static final int SNAPSHOT_MAX_BYTES = 4 << 10;
  private static final int POLL_MILLIS = 100;
  private static final int POLLS_WHEN_IDLE = 10; // one in so many

  private static final class Running {
    final TaskContext task;
    final TaskMemoryManager memory; // null: not to be read
    final ProfileAccumulator accumulator;

    Running(TaskContext task, TaskMemoryManager memory, ProfileAccumulator accumulator) {
      this.task = task;
      this.memory = memory;
      this.accumulator = accumulator;
    }
  }

  private final AccumulatorTemplate template;
  private final Settings settings;
  private final Notices notices;
  private final SparkPools pools;
  private final TaskConsumers consumers;
  private final Map<Long, Running> running = new ConcurrentHashMap<>();
  private final Rounds poll;
  // A thread of its own: Spark holds its memory manager's lock while it evicts blocks to disk, and
  // interim profiles matter most then.
  private final Rounds snapshots;
  private int polls; // of the poll's thread

  TaskProfiles(AccumulatorTemplate template, Settings settings, Notices notices) {
    this.template = template;
    this.settings = settings;
    this.notices = notices;
    pools = new SparkPools(notices);
    consumers = new TaskConsumers(notices);
    poll = new Rounds("poll", 0, POLL_MILLIS, this::memoryOfSpark, INTERIM, notices);
    long snapshotMillis = TimeUnit.SECONDS.toMillis(settings.snapshotSeconds);
    snapshots =
        new Rounds(
            "snapshots", snapshotMillis, snapshotMillis, this::interimProfiles, INTERIM, notices);
  }

  /** Once. If it throws, for want of threads, {@link #close} ends what has begun. */
  void start() {
    poll.start();
    snapshots.start();
  }

  /** On the task's own thread, before its code runs; never throws. */
  void started(TaskContext task) {
    try {
      long id = task.taskAttemptId();
      ProfileAccumulator accumulator = template.copyForThisTask();
      NativeAgent.taskStarted(
          id, task.stageId(), task.stageAttemptNumber(), task.partitionId(), task.attemptNumber());
      running.put(id, new Running(task, consumers.managerOf(task), accumulator));
      // Listeners run in reverse order: this one, added before the task's own, runs after them, and
      // before Spark collects the
      // accumulators.
      TaskCompletionListener listener = completed -> completed(id, completed, accumulator);
      task.addTaskCompletionListener(listener);
    } catch (Throwable e) {
      notices.failed("the profile of some tasks", e);
    }
  }

  /** In the task's completion listener, where anything thrown would fail the task. */
  private void completed(long id, TaskContext task, ProfileAccumulator accumulator) {
    try {
      running.remove(id);
      TaskConsumers.metrics(id, task);
      accumulator.close(NativeAgent.taskClosed(id, settings.taskMaxBytes));
    } catch (Throwable e) {
      notices.failed("the profile of some tasks", e);
    }
  }

  private void interimProfiles() {
    for (Map.Entry<Long, Running> entry : running.entrySet()) {
      long id = entry.getKey();
      TaskConsumers.metrics(id, entry.getValue().task);
      entry.getValue().accumulator.snapshot(NativeAgent.taskSnapshot(id, SNAPSHOT_MAX_BYTES));
    }
  }

  private void memoryOfSpark() {
    boolean idle = running.isEmpty();
    if (idle && polls++ % POLLS_WHEN_IDLE != 0) {
      return;
    }
    SparkEnv env = SparkEnv.get();
    if (env == null) {
      return; // Spark is stopping
    }
    for (Map.Entry<Long, Running> entry : running.entrySet()) {
      TaskMemoryManager manager = entry.getValue().memory;
      if (manager != null) {
        consumers.sample(entry.getKey(), manager);
      }
    }
    pools.tell(env);
  }

  void close() {
    poll.end();
    snapshots.end();
    running.clear();
  }
}
