package org.sparkmemprof.plugin;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.sparkmemprof.jni.NativeAgent;
import org.sparkmemprof.notices.Notices;

/**
 * Reads who holds a running task's execution memory: its TaskMemoryManager's consumers, which are
 * in a private field.
 */
final class TaskConsumers {
  private final Notices notices;
  private final Field consumers; // null: this Spark has none of that name

  TaskConsumers(Notices notices) {
    this.notices = notices;
    Field field = null;
    try {
      field = TaskMemoryManager.class.getDeclaredField("consumers");
      field.setAccessible(true);
      if (!Collection.class.isAssignableFrom(field.getType())) {
        throw new NoSuchFieldException("consumers is a " + field.getType().getName());
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      notices.failed("consumers of tasks' execution memory", e);
      field = null;
    }
    consumers = field;
  }

  /** The manager whose consumers {@link #sample} reads; null: none can be. */
  TaskMemoryManager managerOf(TaskContext task) {
    return consumers != null ? task.taskMemoryManager() : null;
  }

  /**
   * Doesn't take the manager's lock, which a task holds as long as it spills. A set that changes
   * meanwhile throws, or gives one consumer too few; the next sample comes soon.
   */
  void sample(long taskId, TaskMemoryManager manager) {
    List<MemoryConsumer> found = new ArrayList<>();
    try {
      for (Object consumer : (Collection<?>) consumers.get(manager)) {
        if (consumer != null) {
          found.add((MemoryConsumer) consumer);
        }
      }
    } catch (ReflectiveOperationException e) {
      notices.failed("consumers of tasks' execution memory", e);
      return;
    } catch (RuntimeException changing) {
      return;
    }
    if (found.isEmpty()) {
      return;
    }
    String[] names = new String[found.size()];
    long[] onHeap = new long[names.length];
    long[] offHeap = new long[names.length];
    for (int i = 0; i < names.length; i++) {
      MemoryConsumer consumer = found.get(i);
      names[i] = consumer.getClass().getName();
      (consumer.getMode() == MemoryMode.OFF_HEAP ? offHeap : onHeap)[i] = consumer.getUsed();
    }
    NativeAgent.taskConsumers(taskId, names, onHeap, offHeap);
  }

  /** Spark's own figures of a task. */
  static void metrics(long taskId, TaskContext task) {
    TaskMetrics metrics = task.taskMetrics();
    if (metrics != null) {
      NativeAgent.taskMetrics(
          taskId,
          metrics.peakExecutionMemory(),
          metrics.memoryBytesSpilled(),
          metrics.diskBytesSpilled());
    }
  }
}
