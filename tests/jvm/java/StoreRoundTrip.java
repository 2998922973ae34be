import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.sparkmemprof.jni.NativeAgent;
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

    long store = NativeStore.open(64L << 20);
    NativeStore.applicationStarted(
        store, "app-1", "café \ud83d\udc18\u0000\ud800 job", "4.1.0", "3.11.7", "local[2]", 1_000L);
    NativeStore.configuration(
        store, new String[] {"spark.app.name", "job", "spark.executor.memory", "1g", "odd"});
    NativeStore.executorAdded(store, "7", "localhost", 2, 1024, 384, -1, -1, 1_100L);
    NativeStore.stageSubmitted(store, 3, 0, "count at job.py:7", "job.py:7", 1, 1_200L);
    System.out.println("ingest: " + NativeStore.ingest(store, profile));
    System.out.println(
        "garbage: " + NativeStore.ingest(store, "garbage".getBytes(StandardCharsets.US_ASCII)));
    NativeStore.taskEnded(store, 1, 3, 0, 1, 0, "7", 0, null, 1_500L, 1_007L, 13L);
    NativeStore.stageCompleted(store, 3, 0, null, 1_600L);
    NativeStore.notAvailable(store, "something", "a reason");
    NativeStore.executorRemoved(store, "7", "Command exited with code 137", 1_700L);
    NativeStore.applicationEnding(store, 1_750L);
    NativeStore.applicationEnded(store, 1_800L);
    System.out.println("awaits: " + NativeStore.awaitsSymbols(store));
    long report = NativeReport.make(store, false, true);
    NativeStore.close(store);
    try (OutputStream json = Files.newOutputStream(Path.of("report.json"));
        OutputStream html = Files.newOutputStream(Path.of("report.html"))) {
      NativeReport.json(report, json);
      NativeReport.html(report, html);
    }
    Files.write(Path.of("report.txt"), NativeReport.text(report, 100, 0));
    System.out.println("action: " + NativeReport.callsForAction(report));
    System.out.println("stream: " + refusal(report));
    byte[] whole = NativeReport.wholeJson(report);
    System.out.println(
        "whole: " + Arrays.equals(whole, Files.readAllBytes(Path.of("report.json"))));
    NativeReport.free(report);
    System.out.println(
        "closed: " + NativeStore.ingest(0, profile) + ", " + NativeReport.make(0, false, true));
    System.out.println("version: " + NativeAgent.version());
  }
}
