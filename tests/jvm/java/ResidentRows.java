import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.sparkmemprof.jni.NativeAgent;

/**
 * A JVM that holds known amounts of memory of every kind when it is looked at: heap (which the
 * caller makes the JVM touch from the start), a direct buffer, stacks, blocks of malloc's in use
 * and given back, and some that nobody has written to.
 */
public final class ResidentRows {
  static final int DIRECT = 61_234_567;
  static final int THREADS = 24;
  static final int BLOCKS = 20_000;
  static final int BLOCK_BYTES = 4568; // every second one is given back
  static final int UNTOUCHED = 25_000_003; // of each of three blocks
  static final int LARGEST_IN_HEAPS =
      30_000_001; // once given back, malloc takes such blocks from its heaps

  static int descend(int levels) {
    return levels == 0 ? 0 : 1 + descend(levels - 1);
  }

  static void hold(CountDownLatch deep) {
    descend(3000);
    deep.countDown();
    try {
      Thread.sleep(600_000);
    } catch (InterruptedException e) {
      // The program ends.
    }
  }

  public static void main(String[] args) throws Exception {
    NativeHog.load();
    Probe.start();
    Probe.task(1);
    NativeHog.free(NativeHog.keep(LARGEST_IN_HEAPS));
    for (int i = 0; i < 3; i++) NativeHog.keep(UNTOUCHED);
    ByteBuffer direct = ByteBuffer.allocateDirect(DIRECT);
    CountDownLatch deep = new CountDownLatch(THREADS);
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(() -> hold(deep));
      thread.setDaemon(true);
      thread.start();
    }
    deep.await();
    Class<?> type = Class.forName("sun.misc.Unsafe");
    java.lang.reflect.Field field = type.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    sun.misc.Unsafe unsafe = (sun.misc.Unsafe) field.get(null);
    List<Long> blocks = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      long address = unsafe.allocateMemory(BLOCK_BYTES);
      unsafe.setMemory(address, BLOCK_BYTES, (byte) 1);
      blocks.add(address);
    }
    for (int i = 0; i < BLOCKS; i += 2) {
      unsafe.freeMemory(blocks.get(i));
    }
    ByteBuffer last = ByteBuffer.allocateDirect(4 * DIRECT); // for a reading with all of it
    Probe.sleep(6000); // so long that there is time again for reading them
    NativeAgent.stop();
    int messages = Probe.drain(0);
    if (messages == 0 || direct.capacity() + last.capacity() != 5 * DIRECT) {
      throw new AssertionError("nothing was sent");
    }
  }
}
