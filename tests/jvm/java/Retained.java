import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;
import org.sparkmemprof.gc.CollectionNews;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Keeps about 100 MB among gigabytes of garbage: arguments = rounds of garbage, then "full" to ask
 * for a collection at the end, "released" to let go of what it keeps after that and ask for another
 * one, or "none" to leave it to the collector, then "large" to have large objects in the garbage as
 * well, or "small". A task makes both and ends before that; what it has kept is printed. A thread
 * that works for no task keeps 10 MB more.
 */
public final class Retained {
  private static final int KEPT = 50_000; // objects, of 2,024 bytes with their headers
  private static volatile Object sink;
  private static boolean large;
  private static final List<Object> keep = new ArrayList<>(KEPT);

  static void kept() {
    keep.add(new byte[2003]); // 2024 with its header
  }

  private static final List<Object> others = new ArrayList<>();

  static void keptWithoutTask() {
    for (int i = 0; i < 5000; i++) others.add(new byte[2101]); // 2120 with its header
  }

  static void garbage(int round) {
    // Every hundredth is large: a humongous object in G1.
    sink = large && round % 100 == 99 ? new byte[1_400_003] : new byte[3001 + round % 7 * 1000];
  }

  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    large = args[2].equals("large");
    Probe.start();
    AutoCloseable news = CollectionNews.start();
    Thread keeper = new Thread(Retained::keptWithoutTask, "keeper-17");
    keeper.start();
    keeper.join();
    Probe.task(1);
    for (int i = 0; i < rounds; i++) {
      garbage(i);
      if (i % (rounds / KEPT) == 0 && keep.size() < KEPT) kept();
    }
    sink = null; // the last one is large: where such garbage is thinned, it would stand for many
    Probe.close(1, "task");
    Thread.sleep(20); // what was made in the millisecond of the marking's begin counts as newer
    if (args[1].equals("full")) {
      collect();
    } else if (args[1].equals("released")) {
      collect();
      keep.clear();
      collect();
    } else {
      for (int i = 0; i < rounds; i++) garbage(i);
      Probe.sleep(2500); // notifications come a little later
    }
    System.out.println(keep.size() * 2024L);
    news.close();
    NativeAgent.stop();
    Probe.drain(0);
  }

  /** Returns when the agent has the news of it. */
  static void collect() throws Exception {
    CountDownLatch told = toldOfFullCollection();
    System.gc();
    if (!told.await(Probe.patient(60_000), TimeUnit.MILLISECONDS))
      throw new AssertionError("no news of System.gc()");
  }

  /** Counts down after the agent has the news of a collection that {@code System.gc()} caused. */
  private static CountDownLatch toldOfFullCollection() {
    CountDownLatch told = new CountDownLatch(1);
    NotificationListener listener = // called after those that were added before
        (notification, handback) -> {
          CompositeData data = (CompositeData) notification.getUserData();
          String cause = GarbageCollectionNotificationInfo.from(data).getGcCause();
          if (cause.equals("System.gc()")) told.countDown();
        };
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      // Not of a young collection before it, or of a pause within it.
      boolean whole = !bean.getName().matches(".*(Copy|Scavenge|Young|Minor|Pauses).*");
      if (whole) ((NotificationEmitter) bean).addNotificationListener(listener, null, null);
    }
    return told;
  }
}
