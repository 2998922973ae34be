import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.sparkmemprof.jni.NativeAgent;

/** What every test program does with the agent. Messages become files in the working directory. */
final class Probe {
  private Probe() {}

  static final int MAX_BYTES = 64 << 10;

  /** Kinds of messages: their fields in common/proto's Envelope. */
  static final int SNAPSHOT = 4, WORKER_DEATH = 6;

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
    Thread.sleep(patient(millis));
  }

  static long patient(long millis) {
    String patience = System.getenv().getOrDefault("MEMPROF_TEST_PATIENCE", "1");
    return Math.round(millis * Double.parseDouble(patience));
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

  /** Writes messages until one of this kind has come; returns the number of the next one. */
  static int await(int kind, int first) throws Exception {
    long began = System.nanoTime();
    for (int number = first; System.nanoTime() - began < patient(60_000) * 1_000_000; ) {
      byte[] message = NativeAgent.takeMessage(1_000);
      if (message == null) continue;
      keep(number++, message);
      if (isOf(kind, message)) return number;
    }
    throw new AssertionError("no message of kind " + kind);
  }

  /** Whether the Envelope has this field. It has numbers and what says its own length. */
  private static boolean isOf(int kind, byte[] message) {
    ByteBuffer bytes = ByteBuffer.wrap(message);
    while (bytes.hasRemaining()) {
      long key = varint(bytes);
      if (key >>> 3 == kind) return true;
      long value = varint(bytes);
      if ((key & 7) == 2) bytes.position(bytes.position() + (int) value);
    }
    return false;
  }

  private static long varint(ByteBuffer bytes) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = bytes.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) return value;
    }
  }

  /** Writes a message to its message-N. */
  static void keep(int number, byte[] message) throws Exception {
    Files.write(Path.of(String.format("message-%04d", number)), message);
  }

  static void load() {
    System.load(System.getenv("MEMPROF_LIBRARY"));
  }
}
