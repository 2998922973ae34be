import org.sparkmemprof.jni.NativeAgent;

/**
 * Memory that a JNI library holds while no running task does: of a thread that works for no task,
 * of a thread of the library's own, and of a task that has ended; and some that was given back.
 */
public final class NativeOutside {
  static final long KEEPERS = 12_000_017;
  static final long RUNTIMES = 7_000_003;
  static final long TASKS = 9_000_007;
  static final long GIVEN_BACK = 30_000_001;

  public static void main(String[] args) throws Exception {
    NativeHog.load();
    Probe.start("native.interval=64k");
    OutsideTasks.on("keeper-17", () -> NativeHog.keep(KEEPERS));
    NativeHog.elsewhere(RUNTIMES, false);
    OutsideTasks.on("lender-3", () -> NativeHog.free(NativeHog.keep(GIVEN_BACK)));
    Probe.task(1);
    NativeHog.keep(TASKS);
    NativeHog.free(NativeHog.keep(GIVEN_BACK));
    Probe.close(1, "task");
    NativeAgent.stop(); // tells what is held, and then the names of its frames
    Probe.drain(0);
  }
}
