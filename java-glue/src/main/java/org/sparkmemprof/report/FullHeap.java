package org.sparkmemprof.report;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What a thread of ours does when the driver's own heap is full: it waits, for what is known of
 * that must reach the store, which lies outside of the heap.
 */
public final class FullHeap {
  private static final long ROOM_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private FullHeap() {}

  /** Waits until there may be room again. Allocates nothing. */
  public static void awaitRoom() {
    LockSupport.parkNanos(ROOM_NANOS);
  }

  /**
   * To be called by a thread that will catch errors of a full heap, before it is full: the JVM
   * loads what a handler needs when it is first needed, by Java code that needs room itself.
   *
   * @param handled the classes that the thread's handlers name, as its own class sees them
   */
  public static void prepare(Class<?>... handled) {
    LockSupport.parkNanos(handled.length);
  }
}
