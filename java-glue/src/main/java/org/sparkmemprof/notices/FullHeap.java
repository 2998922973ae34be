package org.sparkmemprof.notices;

import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * For threads that go on in a full heap. In the driver, messages about it still reach the store,
 * which is outside of the heap.
 */
public final class FullHeap {
  private static final long ROOM_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int ATTEMPTS = 25; // five seconds

  private FullHeap() {}

  /** Waits until there may be room again. Allocates nothing. */
  public static void awaitRoom() {
    LockSupport.parkNanos(ROOM_NANOS);
  }

  /**
   * Does it, again after each error of a full heap, for five seconds at the most. For an
   * application's last words, for which there is no later round: the errors of others free what
   * they had.
   */
  public static <T> T patiently(Callable<T> work) throws Exception {
    for (int left = ATTEMPTS; ; left--) {
      try {
        return work.call();
      } catch (OutOfMemoryError full) {
        if (left == 1) {
          throw full;
        }
        awaitRoom();
      }
    }
  }

  /**
   * Waits for it, also while the heap has no room for one who waits. Whoever is interrupted waits
   * on, and is still interrupted then.
   *
   * @param deadline by {@link System#nanoTime}
   * @throws java.util.concurrent.TimeoutException it isn't done by then
   */
  public static <T> T await(Future<T> work, long deadline) throws Exception {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return work.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException later) {
          interrupted = true;
        } catch (OutOfMemoryError full) {
          if (System.nanoTime() - deadline >= 0) {
            throw full;
          }
          awaitRoom();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * To be called before the heap is full, by a thread that will catch errors of a full heap. The
   * JVM loads a handler's classes when they are first needed, by Java code that needs room itself.
   *
   * @param handled the classes that the thread's handlers name, as its own class sees them
   */
  public static void prepare(Class<?>... handled) {
    LockSupport.parkNanos(handled.length);
  }
}
