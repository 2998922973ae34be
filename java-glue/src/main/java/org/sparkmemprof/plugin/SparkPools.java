package org.sparkmemprof.plugin;

import java.lang.reflect.Field;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.storage.memory.MemoryStore;
import org.sparkmemprof.jni.NativeAgent;
import org.sparkmemprof.notices.Notices;

/**
 * Reads Spark's memory manager. Its pools are the same in Spark 3.5 and 4; storage's own share of
 * the heap is only in a private field.
 */
final class SparkPools {
  private static final String REGION = "onHeapStorageRegionSize";
  private static final long NOT_KNOWN = -1;

  private final Notices notices;
  private final Field region; // null: this Spark has none of that name
  private boolean hasPools = true;
  private boolean tellsUnroll = true;
  private MemoryStore store; // of the blocks; null: nothing has been stored so far

  SparkPools(Notices notices) {
    this.notices = notices;
    Field field = null;
    try {
      field = UnifiedMemoryManager.class.getDeclaredField(REGION);
      field.setAccessible(true);
    } catch (ReflectiveOperationException | RuntimeException e) {
      notices.failed("storage's own share of the heap", e);
    }
    region = field;
  }

  void tell(SparkEnv env) {
    MemoryManager memory = env.memoryManager();
    Runtime runtime = Runtime.getRuntime();
    long[] onHeap = new long[4];
    long[] offHeap = new long[4];
    long unroll = NOT_KNOWN;
    synchronized (memory) { // its own lock: all figures are of one moment
      onHeap[2] = memory.onHeapStorageMemoryUsed();
      onHeap[3] = memory.onHeapExecutionMemoryUsed();
      offHeap[2] = memory.offHeapStorageMemoryUsed();
      offHeap[3] = memory.offHeapExecutionMemoryUsed();
      if (hasPools) {
        readSizes(memory, onHeap, offHeap);
      }
      if (store != null) {
        unroll = store.currentUnrollMemory();
      }
    }
    if (store == null && tellsUnroll && onHeap[2] + offHeap[2] > 0) {
      findStore(env);
    }
    NativeAgent.sparkMemory(
        onHeap[2], onHeap[3], runtime.maxMemory(), runtime.totalMemory(), unroll);
    if (!hasPools) {
      return;
    }
    tell(false, onHeap, regionOf(memory));
    if (memory.maxOffHeapMemory() > 0) {
      tell(true, offHeap, memory.offHeapStorageMemory());
    }
  }

  /**
   * Outside of the memory manager's lock. In Spark 4 asking for it makes it, unless it is there:
   * once something is stored it is.
   */
  private void findStore(SparkEnv env) {
    try {
      MemoryStore found = env.blockManager().memoryStore();
      found.currentUnrollMemory(); // whether this Spark has it
      store = found;
    } catch (LinkageError | RuntimeException e) {
      tellsUnroll = false;
      notices.failed("memory in which Spark unrolls blocks", e);
    }
  }

  /** The pools themselves are Spark's own: another version may have other ones. */
  private void readSizes(MemoryManager memory, long[] onHeap, long[] offHeap) {
    try {
      onHeap[0] = memory.onHeapStorageMemoryPool().poolSize();
      onHeap[1] = memory.onHeapExecutionMemoryPool().poolSize();
      offHeap[0] = memory.offHeapStorageMemoryPool().poolSize();
      offHeap[1] = memory.offHeapExecutionMemoryPool().poolSize();
    } catch (LinkageError e) {
      hasPools = false;
      notices.failed("pools of Spark's memory", e);
    }
  }

  private static void tell(boolean isOffHeap, long[] pools, long storageRegion) {
    NativeAgent.sparkPool(
        isOffHeap, pools[0] + pools[1], storageRegion, pools[2], pools[3], pools[0]);
  }

  private long regionOf(MemoryManager memory) {
    if (region == null || !(memory instanceof UnifiedMemoryManager)) {
      return NOT_KNOWN;
    }
    try {
      return region.getLong(memory);
    } catch (ReflectiveOperationException | RuntimeException e) {
      notices.failed("storage's own share of the heap", e);
      return NOT_KNOWN;
    }
  }
}
