import java.util.Random;
import org.sparkmemprof.jni.NativeAgent;

/** Thousands of different stacks in one task, more than the agent keeps; then a task with a few. */
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

  public static void main(String[] args) throws Exception {
    Probe.start("interval=1");
    // A thread's first gap was drawn when it began, for the JVM's own interval of 512 KiB.
    for (int i = 0; i < 4000; i++) sink = new byte[4000];
    Probe.task(1);
    for (int i = 0; i < 5000; i++) left(30);
    Probe.close(1, "many");
    Probe.task(2);
    for (int i = 0; i < 100; i++) deep(198);
    for (int i = 0; i < 100; i++) repeated(60);
    Probe.close(2, "few");
    NativeAgent.stop();
    Probe.drain(0);
  }
}
