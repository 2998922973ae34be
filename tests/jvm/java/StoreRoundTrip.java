import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.sparkmemprof.jni.NativeAgent;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.jni.NativeReport;
import org.sparkmemprof.jni.NativeStore;

/**
 * From a task's allocations through the store to the report and its views, in one JVM, with a name
 * beyond ASCII.
 */
public final class StoreRoundTrip {
  private static volatile Object sink;

  static void allocate() {
    for (int i = 0; i < 500_000; i++) sink = new byte[1000];
  }

  private static void await(long feed) throws InterruptedException {
    while (!NativeFeed.isIdle(feed)) Thread.sleep(1);
  }

  private static String refused(long feed, byte[] message) throws InterruptedException {
    NativeFeed.ingest(feed, message);
    await(feed);
    return NativeFeed.takeRefusal(feed);
  }

  /** What a stream that fails in its second piece makes of the HTML file. */
  private static String refusal(long report) {
    int[] pieces = {0};
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int one) {
            throw new AssertionError("pieces are wanted");
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            if (++pieces[0] == 2) throw new IOException("no room");
          }
        };
    try {
      NativeReport.html(report, full);
      return "none";
    } catch (IOException e) {
      return e.getMessage() + " after " + pieces[0];
    }
  }

  public static void main(String[] args) throws Exception {
    Probe.start("interval=32k");
    Probe.task(1);
    allocate();
    byte[] profile = NativeAgent.taskClosed(1, Probe.MAX_BYTES);

    long store = NativeStore.open(64L << 20, 1);
    NativeFeed.prepare(); // each once, for -Xcheck:jni
    long feed = NativeFeed.open(store);
    NativeFeed.applicationStarted(
        feed, "app-1", "café \ud83d\udc18\u0000\ud800 job", "4.1.0", "3.11.7", "local[2]", 1_000L);
    NativeFeed.configuration(
        feed, new String[] {"spark.app.name", "job", "spark.executor.memory", "1g", "odd"});
    NativeFeed.executorAdded(feed, "7", "localhost", 2, 1024, 384, -1, -1, 0, 0, 0, 1_100L);
    NativeFeed.stageSubmitted(feed, 3, 0, "count at job.py:7", "job.py:7", 1, 1_200L);
    System.out.println("ingest: " + refused(feed, profile));
    System.out.println("garbage: " + refused(feed, "garbage".getBytes(StandardCharsets.US_ASCII)));
    NativeFeed.stageSetting(feed, 3, "spark.sql.shuffle.partitions", "7");
    NativeFeed.queryStarted(feed, 5, "count at job.py:7", 1_150L);
    String[] properties = {"count at job.py:7", "", "", "5"};
    NativeFeed.jobStarted(feed, 0, new long[] {3}, "count at job.py:7", properties, 1_180L);
    NativeFeed.taskResult(feed, 3, 1, profile.length + 77);
    NativeFeed.queryRows(feed, 5, 9, false);
    NativeFeed.cachedRdd(feed, 2, "rdd", "job.py:6", true, true, false, true, 1, 4);
    NativeFeed.blockUpdated(feed, false, 2, 0, "7", 1_000, 0);
    NativeFeed.rddUnpersisted(feed, 2);
    NativeFeed.jobEnded(feed, 0, "", 1_590L);
    NativeFeed.taskEnded(feed, 1, 3, 0, 1, 0, "7", 0, null, 1_500L, 1_007L, 13L);
    NativeFeed.stageCompleted(feed, 3, 0, null, 1_600L);
    NativeFeed.notAvailable(feed, "something", "a reason");
    NativeFeed.executorRemoved(feed, "7", "Command exited with code 137", 1_700L);
    NativeFeed.applicationEnding(feed, 1_750L);
    NativeFeed.applicationEnded(feed, 1_800L);
    await(feed);
    System.out.println("awaits: " + NativeStore.awaitsSymbols(store));
    long report = NativeReport.make(store, false, true);
    NativeFeed.close(feed);
    NativeFeed.ingest(feed, profile); // Spark's threads may come late
    NativeStore.close(store);
    try (OutputStream json = Files.newOutputStream(Path.of("report.json"));
        OutputStream html = Files.newOutputStream(Path.of("report.html"))) {
      NativeReport.json(report, json);
      NativeReport.html(report, html);
    }
    Files.write(Path.of("report.txt"), NativeReport.text(report, 100, 0));
    System.out.println("headline: " + NativeReport.headline(report));
    System.out.println("action: " + NativeReport.callsForAction(report));
    System.out.println("stream: " + refusal(report));
    byte[] whole = NativeReport.wholeJson(report);
    System.out.println(
        "whole: " + Arrays.equals(whole, Files.readAllBytes(Path.of("report.json"))));
    NativeReport.free(report);
    System.out.println(
        "closed: " + NativeFeed.isIdle(feed) + ", " + NativeReport.make(0, false, true));
    System.out.println("version: " + NativeAgent.version());
  }
}
