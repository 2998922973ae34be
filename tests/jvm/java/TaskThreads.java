import java.util.concurrent.CountDownLatch;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Work that a task's own threads do for it, and what such a thread does when its task is over.
 * Argument "late" loads here.
 */
public final class TaskThreads {
  private static volatile Object sink;

  static void byChild(int count) {
    for (int i = 0; i < count; i++) sink = new byte[1000];
  }

  static void byGrandchild(int count) {
    for (int i = 0; i < count; i++) sink = new byte[1000];
  }

  static void afterwards(int count) {
    for (int i = 0; i < count; i++) sink = new byte[1000];
  }

  static void byWriter(int count) {
    for (int i = 0; i < count; i++) sink = new byte[1000];
  }

  static void byPool(int count) {
    for (int i = 0; i < count; i++) sink = new byte[1000];
  }

  static void byBystander(int count) {
    for (int i = 0; i < count; i++) sink = new byte[1000];
  }

  private static Thread start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.start();
    return thread;
  }

  public static void main(String[] args) throws Exception {
    if (args.length > 0 && args[0].equals("late")) Probe.load();
    Probe.start("interval=16k");
    CountDownLatch bystander = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Thread before =
        start(
            "bystander-7",
            () -> {
              await(bystander);
              byBystander(300_000);
            });
    Probe.task(1);
    Thread child =
        start(
            "child",
            () -> {
              byChild(300_000);
              Thread grandchild = new Thread(() -> byGrandchild(300_000), "grandchild");
              grandchild.start();
              join(grandchild);
            });
    Thread lingering =
        start(
            "lingering-42",
            () -> {
              await(closed);
              afterwards(300_000);
            });
    Thread pool = start("shuffle-client-4-1", () -> byPool(300_000)); // Netty's, of all tasks
    Thread writer = start("stdout writer for python3", () -> byWriter(300_000));
    bystander.countDown();
    join(pool);
    join(writer);
    join(child);
    join(before);
    Probe.close(1, "first");
    Probe.task(2);
    closed.countDown();
    join(lingering);
    Probe.close(2, "second");
    NativeAgent.stop();
    Probe.drain(0);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
