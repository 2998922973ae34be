import java.io.File;
import java.util.List;
import org.sparkmemprof.jni.NativeAgent;

/**
 * An executor with a Python daemon as Spark starts it: arguments are the Python and the
 * milliseconds to let it live. Messages are drained every 100 ms, so message files are numbered as
 * they were sent.
 */
public final class WatchedTree {
  public static void main(String[] args) throws Exception {
    Probe.start();
    NativeAgent.sparkMemory(11_000_003, 22_000_007, 33_000_011, 444_000_013);
    Probe.task(1);
    ProcessBuilder builder =
        new ProcessBuilder(List.of(args[0], "-m", "pyspark.daemon", "pyspark.worker"));
    builder.redirectOutput(new File("daemon.out")).redirectError(new File("daemon.err"));
    Process daemon = builder.start();
    int messages = 0;
    long end = System.currentTimeMillis() + Long.parseLong(args[1]);
    while (System.currentTimeMillis() < end) {
      Thread.sleep(100);
      messages = Probe.drain(messages);
    }
    Probe.close(1, "task");
    daemon.destroyForcibly().waitFor();
    NativeAgent.stop();
    Probe.drain(messages);
    if (NativeAgent.takeMessage(60_000) != null)
      throw new AssertionError("a message after stop() was drained");
  }
}
