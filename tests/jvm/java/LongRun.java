import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Random;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Tasks, one after another on each of two threads, that take every kind of memory at small sampling
 * intervals. Argument: for how many seconds. Prints the resident memory ten times.
 */
public final class LongRun {
  static final int KEPT = 3_000_017;
  static final long LAST = Integer.MAX_VALUE; // task
  static volatile boolean running = true;
  static volatile long tasks;

  static Object heap(Random random, int depth) {
    if (depth > 0) return heap(random, depth - 1);
    switch (random.nextInt(4)) {
      case 0:
        return new byte[random.nextInt(20_000)];
      case 1:
        return new StringBuilder().append(random.nextLong()).append(random.nextDouble()).toString();
      case 2:
        return new long[random.nextInt(50)];
      default:
        return new Object[] {new Object(), random.nextInt()};
    }
  }

  static void outside(Random random) {
    UnsafeBlocks.UNSAFE.freeMemory(UnsafeBlocks.UNSAFE.allocateMemory(1 + random.nextInt(40_000)));
    NativeHog.free(NativeHog.keep(1 + random.nextInt(40_000)));
    NativeHog.small(20, 100);
    if (random.nextInt(50) == 0) ByteBuffer.allocateDirect(random.nextInt(10_000));
  }

  static void work(int thread) {
    Random random = new Random(thread);
    ArrayDeque<Object> held = new ArrayDeque<>();
    for (long id = thread; running; id += 2) {
      Probe.task(id);
      long block = NativeHog.keep(100_003);
      for (int i = 0; i < 5_000; i++) {
        held.add(heap(random, random.nextInt(40)));
        if (held.size() > 20_000) held.poll();
        if (i % 10 == 0) outside(random);
      }
      Thread helper = new Thread(() -> outside(random));
      helper.start();
      join(helper);
      if (random.nextInt(10) == 0) NativeAgent.taskSnapshot(id, Probe.MAX_BYTES);
      NativeHog.free(block);
      NativeAgent.taskClosed(id, Probe.MAX_BYTES);
      tasks++;
    }
  }

  static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static String resident() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) return line.replaceAll("[^0-9]", "");
    }
    throw new IllegalStateException("no VmRSS");
  }

  public static void main(String[] args) throws Exception {
    long tenth = Long.parseLong(args[0]) * 100;
    NativeHog.load();
    Probe.start("interval=16k", "offheap.interval=16k", "native.interval=16k");
    Thread[] threads = {new Thread(() -> work(0)), new Thread(() -> work(1))};
    for (Thread thread : threads) thread.start();
    for (int i = 0; i < 10; i++) {
      for (long end = System.currentTimeMillis() + tenth; System.currentTimeMillis() < end; ) {
        NativeAgent.takeMessage(100);
      }
      System.out.println("resident " + resident() + " KiB after " + tasks + " tasks");
    }
    running = false;
    for (Thread thread : threads) thread.join();
    Probe.task(LAST);
    byte[] kept = new byte[KEPT];
    long block = NativeHog.keep(KEPT);
    Probe.close(LAST, "last");
    NativeAgent.stop();
    Probe.drain(0);
    System.out.println("kept " + (kept.length + (block == 0 ? 0 : KEPT)));
  }
}
