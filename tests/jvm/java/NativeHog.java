import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Memory that a JNI library takes from malloc. Arguments: how the agent is loaded; "before" or
 * "after", when the library is, seen from the agent's start; then "busy", where threads use it all
 * the while.
 */
public final class NativeHog {
  static final long KEPT = 50_331_653;
  static final long ZEROED = 33_554_467;
  static final long ALIGNED = 19_999_999;
  static final long MADE = 17_000_023;
  static final long GROWN = 23_000_009;
  static final long HELD = 9_000_007;
  static final long OUTSIDE = 12_000_017;
  static final long UNBOUND = 7_000_003;
  static final long BOUND = 5_000_011;
  static final long NARROW = 3_000_029;
  static final int SMALL = 1000;
  static final int PAIRS = 2_000_000;
  static volatile boolean running = true;

  static native long keep(long bytes);

  static native long zeroed(long bytes);

  static native long aligned(long bytes);

  static native long made(long bytes);

  static native long resized(long block, long bytes);

  static native void free(long block);

  static native void small(int count, int bytes);

  static native long critical(byte[] array, long bytes);

  static native long elsewhere(long bytes, boolean attached);

  static native long narrowly(long bytes);

  static native int inChild(long block);

  static void load() {
    System.load(Path.of(System.getenv("NATIVE_HOG")).toAbsolutePath().toString());
  }

  static long inTask() {
    long kept = keep(KEPT);
    free(keep(ZEROED)); // gives its address to the next one
    long block = zeroed(ZEROED);
    free(block);
    free(aligned(ALIGNED));
    free(made(MADE));
    free(resized(resized(0, MADE), GROWN));
    small(PAIRS, SMALL);
    free(critical(new byte[1 << 20], HELD));
    return kept;
  }

  static void churn() {
    byte[] array = new byte[1 << 16];
    while (running) {
      small(100, 700_001);
      free(critical(array, 3_000_001));
      free(elsewhere(3_000_001, true));
    }
  }

  /** Names of native frames come behind. Writes messages until those of the library have come. */
  private static int awaitNames() throws Exception {
    boolean known = !text(Files.readAllBytes(Path.of("task"))).contains("libnative_hog");
    long began = System.nanoTime();
    int messages = 0;
    while (!known && System.nanoTime() - began < Probe.patient(20_000) * 1_000_000) {
      byte[] message = NativeAgent.takeMessage(1_000);
      if (message == null) continue;
      known = text(message).contains("hog_keep");
      Probe.keep(messages++, message);
    }
    return messages;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  public static void main(String[] args) throws Exception {
    if (args[1].equals("before")) load();
    if (args[0].equals("late")) Probe.load();
    Probe.start("native.interval=64k");
    if (args[1].equals("after")) load();
    Thread[] busy = new Thread[args.length > 2 ? 4 : 0];
    for (int i = 0; i < busy.length; i++) {
      busy[i] = new Thread(NativeHog::churn, "busy-" + i);
      busy[i].start();
    }
    for (int i = 0; i < 100 && busy.length > 0; i++) {
      System.gc();
      Thread.sleep(10);
    }
    running = false;
    for (Thread thread : busy) thread.join();

    Probe.task(1);
    long kept = inTask();
    elsewhere(UNBOUND, false);
    elsewhere(BOUND, true);
    narrowly(NARROW);
    System.out.println("child: " + inChild(kept));
    Probe.close(1, "task");
    Thread outside = new Thread(() -> free(keep(OUTSIDE)), "keeper-17");
    outside.start();
    outside.join();
    free(kept);
    int messages = awaitNames();
    NativeAgent.stop();
    Probe.drain(messages);
  }
}
