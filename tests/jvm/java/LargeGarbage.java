import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.sparkmemprof.gc.CollectionNews;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Keeps 31 large arrays among 3,060 that are garbage at once: humongous objects in G1. Arguments:
 * their size in bytes. A task makes both. It prints "judged" when the agent has looked at what the
 * first 60 have become, after a full collection.
 */
public final class LargeGarbage {
  private static final int FIRST = 60, GARBAGE = 3000, KEPT = 30;
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
    warmUp();
    Probe.task(1);
    for (int i = 0; i < FIRST; i++) garbage(size);
    kept(size);
    sink = null;
    System.gc();
    int messages = drainUntilRetained();
    System.out.println("judged");
    for (int i = 0; i < GARBAGE; i++) {
      garbage(size);
      if (i % (GARBAGE / KEPT) == 0) kept(size);
      if (i % 4 == 0) Thread.sleep(1); // the news of a collection come later
    }
    Probe.close(1, "task");
    Retained.collect();
    news.close();
    NativeAgent.stop();
    Probe.drain(messages);
  }

  /**
   * The clock of notifications is known once several fit to pauses that were seen. Of one alone, on
   * a busy machine, two pauses are as likely; then nothing is said of what that collection has
   * left.
   */
  private static void warmUp() throws InterruptedException {
    for (int i = 0; i < 5; i++) {
      System.gc();
      Probe.sleep(50);
    }
  }

  /**
   * Writes messages until one says what a full collection has left; returns their number. Where
   * nothing can be said of one, the next may do.
   */
  private static int drainUntilRetained() throws Exception {
    long begun = System.nanoTime();
    long collected = begun;
    for (int number = 0; ; ) {
      if (System.nanoTime() - begun > 120_000_000_000L)
        throw new AssertionError("no message about what is retained");
      byte[] message = NativeAgent.takeMessage(1_000);
      if (System.nanoTime() - collected > 10_000_000_000L) {
        System.gc();
        collected = System.nanoTime();
      }
      if (message == null) continue;
      Probe.keep(number, message);
      number++;
      String text = new String(message, StandardCharsets.ISO_8859_1);
      if (text.contains("(System.gc())") && text.contains("kept")) return number;
    }
  }
}
