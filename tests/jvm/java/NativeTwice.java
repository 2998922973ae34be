import org.sparkmemprof.jni.NativeAgent;

/**
 * Applications in one JVM: one without malloc of libraries, one with it and huge intervals, two
 * with small intervals; the last one has a small interval for Unsafe, too. The thread that
 * allocates lives through all of them.
 */
public final class NativeTwice {
  static final long LARGE = 9_000_007;
  static final long SMALL = 300_007;

  public static void main(String[] args) throws Exception {
    NativeHog.load();
    int messages = 0;
    String[][] options = {
      {"native.enabled=false", "offheap.interval=256m"},
      {"native.interval=256m", "offheap.interval=256m"},
      {"native.interval=64k", "offheap.interval=256m"}
    };
    for (int application = 0; application < options.length; application++) {
      Probe.start(options[application]);
      Probe.task(1);
      NativeHog.small(1, 1000); // from here on the thread counts down an interval
      UnsafeBlocks.UNSAFE.freeMemory(UnsafeBlocks.UNSAFE.allocateMemory(1000)); // and one of these
      NativeHog.free(NativeHog.keep(LARGE));
      Probe.close(1, "task-" + application);
      NativeAgent.stop();
      messages = Probe.drain(messages);
      System.out.println("messages " + messages);
      NativeHog.free(NativeHog.keep(SMALL)); // between two applications
    }
    Probe.start("native.interval=64k", "offheap.interval=64k");
    Probe.task(2);
    NativeHog.free(NativeHog.keep(SMALL));
    UnsafeBlocks.UNSAFE.freeMemory(UnsafeBlocks.UNSAFE.allocateMemory(SMALL));
    Probe.close(2, "task-small");
    NativeAgent.stop();
    Probe.drain(messages);
  }
}
