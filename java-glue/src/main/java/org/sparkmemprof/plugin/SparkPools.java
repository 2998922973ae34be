package org.sparkmemprof.plugin;

import java.lang.reflect.Field;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.sparkmemprof.jni.NativeAgent;
import org.sparkmemprof.notices.Notices;

/**
 * Reads Spark's memory manager. Its pools are the same in Spark 3.5 and 4; storage's own share of
 * the heap is only in a private field.
 */
final class SparkPools {
  private static final String REGION = "onHeapStorageRegionSize";

  private final Notices notices;
  private final Field region; // null: this Spark has none of that name
  private boolean hasPools = true;

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

  void tell(MemoryManager memory) {
    Runtime runtime = Runtime.getRuntime();
    long[] onHeap = new long[4];
    long[] offHeap = new long[4];
    synchronized (memory) { // its own lock: all figures are of one moment
      onHeap[2] = memory.onHeapStorageMemoryUsed();
      onHeap[3] = memory.onHeapExecutionMemoryUsed();
      offHeap[2] = memory.offHeapStorageMemoryUsed();
      offHeap[3] = memory.offHeapExecutionMemoryUsed();
      if (hasPools) {
        readSizes(memory, onHeap, offHeap);
      }
    }
    NativeAgent.sparkMemory(onHeap[2], onHeap[3], runtime.maxMemory(), runtime.totalMemory());
    if (!hasPools) {
      return;
    }
    tell(false, onHeap, regionOf(memory));
    if (memory.maxOffHeapMemory() > 0) {
      tell(true, offHeap, memory.offHeapStorageMemory());
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
      return -1;
    }
    try {
      return region.getLong(memory);
    } catch (ReflectiveOperationException | RuntimeException e) {
      notices.failed("storage's own share of the heap", e);
      return -1;
    }
  }
}
