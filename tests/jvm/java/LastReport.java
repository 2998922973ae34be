import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.jni.NativeStore;

/** A driver's JVM that ends in the way of the first argument; its report goes to the second. */
public final class LastReport {
  private static final int MOST_PATIENCE = 60;
  private static Object[] kept;

  /** Until there is no room for a single array. */
  private static void fill() {
    for (int size = 1 << 16; size >= 1; size = size == 1 ? 0 : size / 16) {
      try {
        while (true) {
          Object[] next = new Object[size];
          next[0] = kept;
          kept = next;
        }
      } catch (OutOfMemoryError full) {
        // And the smaller ones.
      }
    }
  }

  public static void main(String[] args) throws Exception {
    Probe.load();
    long store = NativeStore.open(64L << 20, MOST_PATIENCE);
    long feed = NativeFeed.open(store);
    NativeFeed.applicationStarted(feed, "app-1", "job", "4.1.0", "3.11.7", "local[2]", 1_000L);
    NativeFeed.executorAdded(feed, "7", "localhost", 2, 1024, 384, -1, -1, 0, 0, 0, 1_100L);
    NativeFeed.executorRemoved(feed, "7", "Command exited with code 137", 1_200L);
    String refusal = NativeStore.willBeReported(store, args[1].isEmpty() ? null : args[1], false);
    if (refusal != null) throw new AssertionError(refusal);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("a hook ran")));
    switch (args[0]) {
      case "closed":
        NativeFeed.close(feed);
        NativeStore.close(store);
        break;
      case "halt":
        Runtime.getRuntime().halt(6);
        break;
      case "full":
        fill();
        System.exit(5);
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
  }
}
