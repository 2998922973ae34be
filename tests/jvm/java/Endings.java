import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sparkmemprof.jni.NativeAgent;

/**
 * A busy JVM that ends in the way its argument says: return, exit, halt, term, idle (never started
 * the agent).
 */
public final class Endings {
  private static volatile Object sink;

  /** As a plugin's sender would: until there is nothing more. */
  private static void send() {
    try {
      int number = 0;
      for (byte[] message; (message = NativeAgent.takeMessage(60_000)) != null; number++) {
        Files.write(Path.of(String.format("message-%04d", number)), message);
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  public static void main(String[] args) throws Exception {
    if (!args[0].equals("idle")) Probe.start("interval=4k", "offheap.interval=4k");
    Thread sender = new Thread(Endings::send);
    sender.setDaemon(true);
    sender.start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    NativeAgent.stop();
                    NativeAgent.stop();
                    sender.join();
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                }));
    for (int i = 0; i < 3; i++) {
      int id = i;
      Thread busy =
          new Thread(
              () -> {
                NativeAgent.taskStarted(id, 1, 0, id, 0);
                for (; ; ) {
                  sink = new byte[3000];
                  try {
                    sink = ByteBuffer.allocateDirect(5000);
                  } catch (OutOfMemoryError full) {
                    sink = null; // what is dropped is freed a while after
                  }
                }
              });
      busy.setDaemon(true);
      busy.start();
    }
    Thread.sleep(700);
    switch (args[0]) {
      case "exit":
        System.exit(5);
        break;
      case "halt":
        Runtime.getRuntime().halt(6);
        break;
      case "term":
        new ProcessBuilder("kill", String.valueOf(ProcessHandle.current().pid())).start();
        Thread.sleep(60_000);
        break;
      default:
        break;
    }
  }
}
