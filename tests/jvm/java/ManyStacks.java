import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Thousands of different stacks in one task, more than the agent keeps; then a task with a few.
 * With an argument that one runs beside the first, and its stacks come last.
 */
public final class ManyStacks {
  private static volatile Object sink;
  private static final Random RANDOM = new Random(7);

  static void left(int depth) {
    if (depth == 0) sink = new byte[4000];
    else if (RANDOM.nextBoolean()) left2(depth - 1);
    else right(depth - 1);
  }

  static void left2(int depth) {
    if (depth == 0) sink = new byte[4000];
    else if (RANDOM.nextBoolean()) left(depth - 1);
    else right2(depth - 1);
  }

  static void right(int depth) {
    if (depth == 0) sink = new byte[4000];
    else if (RANDOM.nextBoolean()) left(depth - 1);
    else right2(depth - 1);
  }

  static void right2(int depth) {
    if (depth == 0) sink = new byte[4000];
    else if (RANDOM.nextBoolean()) left2(depth - 1);
    else right(depth - 1);
  }

  static void deep(int depth) {
    if (depth == 0) sink = new byte[4000];
    else deeper(depth - 1);
  }

  static void deeper(int depth) {
    if (depth == 0) sink = new byte[4000];
    else deep(depth - 1);
  }

  static void repeated(int depth) {
    if (depth == 0) sink = new byte[4000];
    else repeated(depth - 1);
  }

  private static void beside() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch full = new CountDownLatch(1);
    Thread other =
        new Thread(
            () -> {
              try {
                Probe.task(2);
                begun.countDown();
                full.await();
                for (int i = 0; i < 100; i++) deep(198);
                Probe.close(2, "few");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    other.start();
    begun.await();
    Probe.task(1);
    for (int i = 0; i < 12_000; i++) left(13); // some 6,300 stacks of few frames: its table is full
    for (int i = 0; i < 4_000; i++) left(30); // as many frames as are kept of all stacks
    full.countDown();
    other.join();
    Probe.close(1, "many");
  }

  public static void main(String[] args) throws Exception {
    Probe.start("interval=1");
    // A thread's first gap was drawn when it began, for the JVM's own interval of 512 KiB.
    for (int i = 0; i < 4000; i++) sink = new byte[4000];
    if (args.length > 0) {
      beside();
    } else {
      Probe.task(1);
      for (int i = 0; i < 5000; i++) left(30);
      Probe.close(1, "many");
      Probe.task(2);
      for (int i = 0; i < 100; i++) deep(198);
      for (int i = 0; i < 100; i++) repeated(60);
      Probe.close(2, "few");
    }
    NativeAgent.stop();
    Probe.drain(0);
  }
}
