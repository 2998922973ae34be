import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.sparkmemprof.jni.NativeAgent;

/** What every test program does with the agent. Messages become files in the working directory. */
final class Probe {
  private Probe() {}

  static final int MAX_BYTES = 64 << 10;

  /** Starts the agent; ends the program with status 3 when it stays inert. */
  static void start(String... options) throws Exception {
    String reason = tryStart(patiently(options));
    if (reason != null) {
      System.out.println("inert: " + reason);
      System.exit(3);
    }
  }

  /** These options, and the tests' own patience. */
  static String[] patiently(String... options) {
    String[] all = Arrays.copyOf(options, options.length + 1);
    all[options.length] = "patience=" + System.getenv("PROBE_PATIENCE");
    return all;
  }

  static String tryStart(String... options) throws Exception {
    Path boxes = Path.of("boxes").toAbsolutePath();
    return NativeAgent.start("app-1", "7", "localhost", boxes.toString(), options);
  }

  /** Longer where the tests are patient. */
  static void sleep(long millis) throws InterruptedException {
    String patience = System.getenv().getOrDefault("MEMPROF_TEST_PATIENCE", "1");
    Thread.sleep(Math.round(millis * Double.parseDouble(patience)));
  }

  static void task(long id) {
    NativeAgent.taskStarted(id, 3, 0, (int) id, 0);
  }

  /** Closes the task and writes its profile to {@code name}; writes nothing when there is none. */
  static void close(long id, String name) throws Exception {
    close(id, name, MAX_BYTES);
  }

  static void close(long id, String name, int maxBytes) throws Exception {
    byte[] profile = NativeAgent.taskClosed(id, maxBytes);
    if (profile != null) Files.write(Path.of(name), profile);
  }

  /** Writes every message that is there to message-N, as a plugin's sender would hand them on. */
  static int drain(int first) throws Exception {
    int number = first;
    for (byte[] message; (message = NativeAgent.takeMessage(0)) != null; number++) {
      keep(number, message);
    }
    return number;
  }

  /** Writes a message to its message-N. */
  static void keep(int number, byte[] message) throws Exception {
    Files.write(Path.of(String.format("message-%04d", number)), message);
  }

  static void load() {
    System.load(System.getenv("MEMPROF_LIBRARY"));
  }
}
