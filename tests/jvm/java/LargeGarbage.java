import java.util.ArrayList;
import java.util.List;
import org.sparkmemprof.gc.CollectionNews;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Keeps 30 large arrays among 3,000 that are garbage at once: humongous objects in G1. Arguments:
 * their size in bytes. A task makes both.
 */
public final class LargeGarbage {
  private static final int GARBAGE = 3000, KEPT = 30;
  private static volatile Object sink;
  private static final List<Object> keep = new ArrayList<>(KEPT);

  static void kept(int size) {
    keep.add(new byte[size]);
  }

  static void garbage(int size) {
    sink = new byte[size];
    for (int i = 0; i < 100; i++) sink = new byte[3001];
  }

  public static void main(String[] args) throws Exception {
    int size = Integer.parseInt(args[0]);
    Probe.start();
    AutoCloseable news = CollectionNews.start();
    Probe.task(1);
    for (int i = 0; i < GARBAGE; i++) {
      garbage(size);
      if (i % (GARBAGE / KEPT) == 0) kept(size);
      if (i % 4 == 0) Thread.sleep(1); // the news of a collection come later
    }
    Probe.close(1, "task");
    System.gc();
    Probe.sleep(500);
    System.out.println(keep.size());
    news.close();
    NativeAgent.stop();
    Probe.drain(0);
  }
}
