import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import org.sparkmemprof.jni.NativeAgent;

/**
 * A task that asks for collections until the JVM's own beans have counted so many milliseconds, the
 * argument, after twice as many that are no task's. Prints a line when the task begins, and at the
 * end what the beans counted meanwhile and how long the task took, both in milliseconds.
 */
public final class TaskPauses {
  private static long collected() {
    long sum = 0;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      sum += bean.getCollectionTime();
    }
    return sum;
  }

  private static void collect(long milliseconds) {
    for (long before = collected(); collected() - before < milliseconds; ) System.gc();
  }

  public static void main(String[] args) throws Exception {
    long milliseconds = Long.parseLong(args[0]);
    Probe.start();
    collect(2 * milliseconds);
    System.out.print("the task begins\n"); // with its end at once, for the JVM's log is beside it
    System.out.flush();
    long began = System.nanoTime();
    Probe.task(1);
    long before = collected();
    collect(milliseconds);
    long counted = collected() - before;
    Probe.close(1, "task");
    long took = (System.nanoTime() - began) / 1_000_000;
    System.out.print("beans " + counted + ", took " + took + "\n");
    NativeAgent.stop();
  }
}
