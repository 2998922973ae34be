import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.jni.NativePages;
import org.sparkmemprof.jni.NativeReport;
import org.sparkmemprof.jni.NativeStore;

/**
 * Feeds a store as a driver does with what large_profiles writes to its standard input, asks the
 * Memory tab's questions as its servlet does, writes the report's files, and prints what each took:
 * median and largest of five in milliseconds, bytes of the answer or file, and by how much the heap
 * had grown meanwhile at most.
 */
public final class LargeReport {
  private static final int ROUNDS = 5;
  private static final int PIECE_BYTES = 64 << 10;
  private static final long START_MS = 1_700_000_000_000L;

  private LargeReport() {}

  private static long heapUsed() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static byte[] message(DataInputStream in) throws Exception {
    byte[] message = new byte[in.readInt()];
    in.readFully(message);
    return message;
  }

  private static void ingest(long feed, byte[] message) throws InterruptedException {
    NativeFeed.ingest(feed, message);
    await(feed); // the queue is bounded
    String problem = NativeFeed.takeRefusal(feed);
    if (problem != null) throw new IllegalStateException(problem);
  }

  private static void await(long feed) throws InterruptedException {
    while (!NativeFeed.isIdle(feed)) LockSupport.parkNanos(50_000);
  }

  /** The body goes through one buffer, as in the servlet. */
  private static long body(long answer, OutputStream out) throws Exception {
    byte[] piece = new byte[PIECE_BYTES];
    long offset = 0;
    for (int read; (read = NativePages.read(answer, offset, piece)) > 0; offset += read)
      out.write(piece, 0, read);
    return offset;
  }

  /** Not all of them have a row. */
  private static String firstStage(long pages) throws Exception {
    long answer = NativePages.answer(pages, "/api/v1/stages", "length=1");
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    body(answer, json);
    NativePages.free(answer);
    Matcher number = Pattern.compile("\"stageId\":\\s*(\\d+)").matcher(json.toString());
    if (!number.find()) throw new IllegalStateException("no stage has a row");
    return number.group(1);
  }

  private static void ask(long pages, String path, String query) throws Exception {
    double[] took = new double[ROUNDS];
    long bytes = 0;
    long grown = 0;
    for (int round = 0; round < ROUNDS; round++) {
      // The last one is shown for a second; then, as this one is large, while another is made.
      Thread.sleep(1100);
      System.gc();
      long before = heapUsed();
      long begin = System.nanoTime();
      long answer = NativePages.answer(pages, path, query);
      if (NativePages.status(answer) != 200) throw new IllegalStateException(path + " " + query);
      bytes = body(answer, OutputStream.nullOutputStream());
      took[round] = (System.nanoTime() - begin) / 1e6;
      grown = Math.max(grown, heapUsed() - before);
      NativePages.free(answer);
    }
    print(query == null ? path : path + "?" + query, took, bytes, grown);
  }

  private interface View {
    void write(long report, OutputStream to) throws IOException;
  }

  /** One of the report's files, with the report made for it. */
  private static void write(long store, String name, View view) throws Exception {
    double[] took = new double[ROUNDS];
    long grown = 0;
    for (int round = 0; round < ROUNDS; round++) {
      System.gc();
      long before = heapUsed();
      long begin = System.nanoTime();
      long report = NativeReport.make(store, false, true);
      try (OutputStream to = Files.newOutputStream(Path.of(name))) {
        view.write(report, to);
      }
      NativeReport.free(report);
      took[round] = (System.nanoTime() - begin) / 1e6;
      grown = Math.max(grown, heapUsed() - before);
    }
    print(name, took, Files.size(Path.of(name)), grown);
  }

  private static void print(String what, double[] took, long bytes, long grown) {
    Arrays.sort(took);
    System.out.printf(
        "%-44s %8.1f %8.1f %10d %10d%n", what, took[ROUNDS / 2], took[ROUNDS - 1], bytes, grown);
  }

  public static void main(String[] words) throws Exception {
    System.load(words[0]);
    int executors = Integer.parseInt(words[1]);
    int stages = Integer.parseInt(words[2]);
    int tasks = Integer.parseInt(words[3]);
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 20));
    long store = NativeStore.open(64L << 20, 1);
    long feed = NativeFeed.open(store);
    NativeFeed.applicationStarted(feed, "app-large", "large", "4.1.0", "3.11", "yarn", START_MS);
    for (int executor = 0; executor < executors; executor++) {
      NativeFeed.executorAdded(
          feed, "" + executor, "node-" + executor, 4, 1024, 384, -1, -1, 0, 0, 0, START_MS);
      ingest(feed, message(in));
    }
    for (int stage = 0; stage < stages; stage++) {
      long now = START_MS + 1000L * stage;
      NativeFeed.stageSubmitted(feed, stage, 0, "collect at job.py:" + stage, "", tasks, now);
      for (int task = 0; task < tasks; task++) {
        int id = stage * tasks + task;
        ingest(feed, message(in));
        NativeFeed.taskEnded(
            feed, id, stage, 0, task, 0, "" + id % executors, 0, null, now + 500, now, 3);
      }
      NativeFeed.stageCompleted(feed, stage, 0, null, now + 900);
    }
    await(feed);
    System.out.printf(
        "%-44s %8s %8s %10s %10s%n", "ms, bytes", "median", "largest", "answer", "heap grown");
    long pages = NativePages.open(store);
    ask(pages, "/api/v1/executors", null);
    ask(pages, "/api/v1/stages", null);
    ask(pages, "/api/v1/stages", "offset=1900&length=100");
    String stage = "/api/v1/stages/" + firstStage(pages) + "/0";
    ask(pages, stage, null);
    ask(pages, stage + "/tasks", null);
    ask(pages, "/api/v1/report", null);
    NativePages.close(pages);
    NativeFeed.applicationEnded(feed, START_MS + 1000L * stages);
    await(feed);
    write(store, "report.json", NativeReport::json);
    write(store, "report.html", NativeReport::html);
    NativeFeed.close(feed);
    NativeStore.close(store);
  }
}
