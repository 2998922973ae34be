import org.sparkmemprof.jni.NativeAgent;

/** One task with known allocations: 20,000 arrays of 1016 bytes and an off-heap block. */
public final class Surroundings {
  static final int BLOCK_BYTES = 7_777_784;
  private static volatile Object sink;

  static void many() {
    for (int i = 0; i < 20_000; i++) sink = new byte[1000]; // 1016 bytes with its header
  }

  /**
   * A thread's first sample comes by the JVM's own interval, 512 KiB in the mean: so not of these.
   */
  static void others() {
    for (int i = 0; i < 20_000; i++) sink = new byte[1000];
  }

  static long block() {
    return UnsafeBlocks.UNSAFE.allocateMemory(BLOCK_BYTES);
  }

  public static void main(String[] args) throws Exception {
    Probe.start("interval=1k");
    Probe.task(1);
    others();
    many();
    long block = block();
    Probe.sleep(1500); // some ticks of the watcher
    Probe.close(1, "task");
    UnsafeBlocks.UNSAFE.freeMemory(block);
    NativeAgent.stop();
    Probe.drain(0);
  }
}
