import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.sparkmemprof.gc.CollectionNews;
import org.sparkmemprof.jni.NativeAgent;

/**
 * An executor with a Python daemon as Spark starts it; the argument is the Python. Messages are
 * drained all the while, so message files are numbered as they were sent. It ends soon after the
 * daemon's worker has written the file "held". With a further argument it waits for the daemon to
 * let go of what it holds, too: for that it writes the file "release". Its own heap keeps 33 MB
 * among as much garbage thrice.
 */
public final class WatchedTree {
  private static final int GARBAGE_COLLECTIONS = 3;
  private static final int HEAP_BYTES = 33_000_011;
  private static Object sink;

  public static void main(String[] args) throws Exception {
    Probe.start();
    int messages =
        Probe.await(Probe.SNAPSHOT, 0); // the watcher has looked before there is anything
    AutoCloseable news = CollectionNews.start();
    byte[] kept = new byte[HEAP_BYTES];
    for (int i = 0; i < 9; i++) {
      sink = new byte[HEAP_BYTES / 3]; // garbage
    }
    NativeAgent.sparkMemory(11_000_003, 22_000_007, 444_000_013, 55_000_021, 7_000_003);
    NativeAgent.sparkMemory(11_000_003, 22_000_007, 444_000_013, 55_000_021, 3_000_017);
    Probe.task(1);
    ProcessBuilder builder =
        new ProcessBuilder(List.of(args[0], "-m", "pyspark.daemon", "pyspark.worker"));
    builder.redirectOutput(new File("daemon.out")).redirectError(new File("daemon.err"));
    Process daemon = builder.start();
    File held = new File("held");
    for (int looks = 0; looks < 600 && !held.exists(); looks++) {
      Probe.sleep(100);
      messages = Probe.drain(messages);
    }
    sink = null;
    for (int i = 0; i < GARBAGE_COLLECTIONS; i++) {
      Retained.collect();
    }
    if (args.length > 1) {
      Probe.sleep(6000); // since the last message, for falls are told every five seconds at most
      messages = Probe.drain(messages);
      Files.write(Path.of("release"), new byte[0]);
      messages = Probe.await(Probe.SNAPSHOT, messages);
    }
    Probe.sleep(2000); // many ticks of the watcher
    Files.write(Path.of("task"), NativeAgent.taskSnapshot(1, Probe.MAX_BYTES));
    news.close();
    NativeAgent.stop();
    if (kept.length != HEAP_BYTES) throw new AssertionError("the compiler let go of it");
    daemon.destroyForcibly().waitFor();
    Probe.drain(messages);
    if (NativeAgent.takeMessage(60_000) != null)
      throw new AssertionError("a message after stop() was drained");
  }
}
