import java.lang.reflect.Method;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Two tasks at once, each with a virtual thread of its own: the second one's runs on a carrier that
 * the first one's has started. Prints "none" where this JVM has no virtual threads.
 */
public final class VirtualThreads {
  private static volatile Object sink;

  static void byFirst(int count) {
    for (int i = 0; i < count; i++) sink = new byte[1000];
  }

  static void bySecond(int count) {
    for (int i = 0; i < count; i++) sink = new byte[1000];
  }

  static void onItself(int count) {
    for (int i = 0; i < count; i++) sink = new byte[1000];
  }

  public static void main(String[] args) throws Exception {
    Method start;
    try {
      start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    } catch (NoSuchMethodException older) {
      System.out.println("none");
      return;
    }
    Probe.start("interval=16k");
    Probe.task(1);
    onItself(300_000);
    Runnable first = () -> byFirst(300_000);
    ((Thread) start.invoke(null, first)).join();
    Thread second =
        new Thread(
            () -> {
              Probe.task(2);
              Runnable work = () -> bySecond(300_000);
              try {
                ((Thread) start.invoke(null, work)).join();
                Probe.close(2, "second");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            },
            "other");
    second.start();
    second.join();
    Probe.close(1, "first");
    NativeAgent.stop();
    Probe.drain(0);
  }
}
