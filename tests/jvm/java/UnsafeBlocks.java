import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Small blocks by the million, on several threads of one task, and a block that grows. Argument
 * "late" loads the library while the threads are at it, so that natives are bound anew under their
 * feet.
 */
public final class UnsafeBlocks {
  static final int THREADS = 4;
  static final int PAIRS = 500_000;
  static final Unsafe UNSAFE = unsafe();
  static volatile boolean running = true;

  static Unsafe unsafe() {
    try {
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return (Unsafe) field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  static void small() {
    for (int i = 0; i < PAIRS; i++) UNSAFE.freeMemory(UNSAFE.allocateMemory(1000));
  }

  static long growing() {
    long block = UNSAFE.allocateMemory(3_000_000);
    return UNSAFE.reallocateMemory(block, 9_000_000);
  }

  public static void main(String[] args) throws Exception {
    Thread[] busy = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      busy[i] =
          new Thread(
              () -> {
                while (running)
                  UNSAFE.freeMemory(UNSAFE.reallocateMemory(UNSAFE.allocateMemory(64), 128));
              });
      busy[i].start();
    }
    if (args.length > 0 && args[0].equals("late")) Probe.load();
    Probe.start("offheap.interval=64k");
    running = false;
    for (Thread thread : busy) thread.join();

    Probe.task(1);
    Thread[] threads = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      threads[i] = new Thread(UnsafeBlocks::small);
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
    long block = growing();
    Probe.close(1, "task");
    UNSAFE.freeMemory(block);
  }
}
