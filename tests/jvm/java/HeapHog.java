import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.sparkmemprof.gc.CollectionNews;
import org.sparkmemprof.jni.NativeAgent;

/**
 * A task that fills the heap with objects of known sizes, in the way that its argument says:
 * "small" ones until there is no room, "large" for one that can't fit, "storm" for several threads
 * at once, "nearly" to stay just below, "nearly-killed" to be killed then, "halt" to end the JVM
 * while an error ends it, "churn" to have collections run without a pause while one ends it, "exit"
 * to end it as Spark's handler does, after an error of which no message can leave, "stops" to stop
 * the profiler while an error is being reported, "lives" to go on for a minute after one,
 * "after-other" to fill the heap just after a thread of no task has failed, "after-result" after
 * one of a task that has ended but for its result, "after-jvms" after one that might be the JVM's
 * own, "classes" and "threads" to run out of those, "array" for one that is longer than any may be,
 * "none". A second argument "alone": no thread but the task's needs heap, so that no other runs out
 * first. It catches the error, closes its task and prints how many bytes it held. With
 * -XX:+ExitOnOutOfMemoryError it comes to nothing of that.
 */
public final class HeapHog {
  private static final int KEPT_BYTES = 1003; // 1,024 with its header
  private static final String OF_TASK_41 =
      "Executor task launch worker for task 3.1 in stage 5.0 (TID 41)";
  private static final List<Object> kept = new ArrayList<>();
  private static Object sink;

  /**
   * As a plugin's sender would: until there is nothing more, and again where there is no room. What
   * is thrown then depends on where the heap ran out, also while something else is caught.
   */
  private static void send() {
    byte[] message = null;
    boolean full = false;
    for (int number = 0; ; ) {
      try {
        if (full) LockSupport.parkNanos(50_000_000);
        full = false;
        if (message == null) message = NativeAgent.takeMessage(60_000);
        if (message == null) return;
        write(String.format("message-%04d", number), message);
        message = null;
        number++;
      } catch (Throwable noRoom) {
        full = true;
      }
    }
  }

  private static void write(String name, byte[] bytes) throws IOException {
    Files.write(Path.of(name), bytes);
  }

  static void keepSmall(int count) {
    for (int i = 0; i < count; i++) kept.add(new byte[KEPT_BYTES]);
  }

  static void askForLarge() {
    sink = new long[200_000_003 / 8];
  }

  static void askForArray() {
    sink = new byte[Integer.MAX_VALUE];
  }

  static void stayNearlyFull() throws Exception {
    Runtime runtime = Runtime.getRuntime();
    // In steps so small that no third collection finds 90 % before the last one.
    for (double used = 0; used < 0.902 * runtime.maxMemory(); ) {
      keepSmall(500);
      if (runtime.totalMemory() - runtime.freeMemory() > 0.88 * runtime.maxMemory()) System.gc();
      used = runtime.totalMemory() - runtime.freeMemory();
    }
    for (int i = 0; i < 3; i++) Retained.collect();
    awaitWords();
    Probe.sleep(2000); // no second look follows
  }

  /** Started; it asks when it may. */
  static Thread failing(ThreadGroup group, String name, CountDownLatch may) {
    Runnable ask =
        () -> {
          try {
            may.await();
            askForLarge();
          } catch (InterruptedException | OutOfMemoryError expected) {
            // It ends.
          }
        };
    Thread thread = new Thread(group, ask, name);
    thread.start();
    return thread;
  }

  /** Returns once another thread's error is half told: its first words are in their file. */
  static void failBeside() throws Exception {
    failing(ours(), "other", new CountDownLatch(0));
    awaitWords();
  }

  static ThreadGroup ours() {
    return Thread.currentThread().getThreadGroup();
  }

  /** "system". */
  static ThreadGroup outermost() {
    ThreadGroup group = ours();
    while (group.getParent() != null) group = group.getParent();
    return group;
  }

  private static void awaitWords() throws InterruptedException {
    long began = System.nanoTime();
    while (new File("boxes").list((folder, name) -> name.matches("[0-9]+[.]words")).length == 0) {
      if (System.nanoTime() - began > Probe.patient(60_000) * 1_000_000)
        throw new AssertionError("no last words");
      Thread.sleep(1);
    }
  }

  static void churn() {
    for (int i = 0; i < 2; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (; ; ) System.gc();
              });
      thread.setDaemon(true);
      thread.start();
    }
    askForLarge();
  }

  /** Each class loader has a class of its own, of this one's bytes. */
  static void defineClasses() throws IOException {
    byte[] bytes = HeapHog.class.getResourceAsStream("HeapHog.class").readAllBytes();
    for (; ; ) kept.add(new Definer().define(bytes));
  }

  /** Others need room for theirs. */
  static void leaveClasses() {
    kept.clear();
    System.gc();
  }

  private static final class Definer extends ClassLoader {
    Class<?> define(byte[] bytes) {
      return defineClass("HeapHog", bytes, 0, bytes.length);
    }
  }

  /** One with a stack for which there is no address space. */
  static void startThread() {
    new Thread(null, () -> {}, "too-large", 1L << 50).start();
  }

  static void fill() {
    List<Object> mine = new ArrayList<>();
    for (; ; ) mine.add(new int[3001]);
  }

  public static void main(String[] args) throws Exception {
    Probe.start();
    boolean alone = args.length > 1;
    AutoCloseable news = alone ? () -> {} : CollectionNews.start();
    NativeAgent.sparkMemory(
        11_000_003, 22_000_007, Runtime.getRuntime().maxMemory(), 55_000_021, -1);
    Thread sender = new Thread(HeapHog::send, "sender");
    sender.setDaemon(true);
    write(
        String.format("first-%04d", 0),
        new byte[1]); // a class that finds no room at first never loads
    LockSupport.parkNanos(1);
    if (!alone && !args[0].equals("exit")) sender.start();
    CountDownLatch may = new CountDownLatch(1);
    Thread before = null;
    if (args[0].equals("after-other")) before = failing(ours(), "other", may);
    if (args[0].equals("after-result")) before = failing(ours(), OF_TASK_41, may);
    if (args[0].equals("after-jvms")) before = failing(outermost(), "other", may);
    Probe.task(1);
    keepSmall(50_000); // 51 MB
    try {
      if (args[0].matches("large|exit|lives")) {
        askForLarge();
      } else if (args[0].equals("storm")) {
        CountDownLatch ended = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
          new Thread(
                  () -> {
                    try {
                      fill();
                    } catch (OutOfMemoryError full) {
                      ended.countDown();
                    }
                  })
              .start();
        }
        ended.await();
      } else if (args[0].equals("churn")) {
        churn();
      } else if (args[0].equals("halt")) {
        failBeside();
        Runtime.getRuntime().halt(7);
      } else if (args[0].equals("stops")) {
        failBeside();
        NativeAgent.stop();
      } else if (before != null) {
        may.countDown();
        before.join();
        fill();
      } else if (args[0].equals("nearly")) {
        stayNearlyFull();
      } else if (args[0].equals("nearly-killed")) {
        stayNearlyFull();
        new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start().waitFor();
      } else if (args[0].equals("classes")) {
        defineClasses();
      } else if (args[0].equals("threads")) {
        startThread();
      } else if (args[0].equals("array")) {
        askForArray();
      } else if (args[0].equals("small")) {
        fill();
      }
    } catch (OutOfMemoryError full) {
      // The task goes on.
      if (args[0].equals("classes")) leaveClasses();
      if (args[0].equals("exit")) Runtime.getRuntime().exit(52);
      if (args[0].equals("lives")) Probe.sleep(61_000);
    }
    System.out.println("caught");
    Probe.close(1, "task");
    news.close();
    NativeAgent.stop();
    sender.join();
    System.out.println(kept.size() * 1024L);
  }
}
