import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sparkmemprof.jni.NativeAgent;
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
    byte[] json = NativeStore.reportJson(store, false, true);
    Files.write(Path.of("report.json"), json);
    Files.write(Path.of("report.html"), NativeStore.html(json));
    Files.write(Path.of("report.txt"), NativeStore.text(json, 100, 0));
    System.out.println("no report: " + NativeStore.html("{".getBytes(StandardCharsets.US_ASCII)));
    System.out.println("action: " + NativeStore.callsForAction(json));
    NativeStore.close(store);
    System.out.println(
        "closed: "
            + NativeStore.ingest(0, profile)
            + ", "
            + NativeStore.reportJson(0, false, true));
    System.out.println("version: " + NativeAgent.version());
  }
}
