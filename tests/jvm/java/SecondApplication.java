import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Two applications in one JVM, one after the other, with the same task id and direct buffers of
 * known sizes. A thread of the first outlives it: it allocates and closes its task when the second
 * is running.
 */
public final class SecondApplication {
  static final int FIRST = 170_000_027;
  static final int BETWEEN = 50_331_653;
  static final int SECOND = 33_554_467;
  static final int LATE = 19_999_999;
  private static volatile Object sink;

  static ByteBuffer first() {
    return ByteBuffer.allocateDirect(FIRST);
  }

  static ByteBuffer between() {
    return ByteBuffer.allocateDirect(BETWEEN);
  }

  static ByteBuffer second() {
    return ByteBuffer.allocateDirect(SECOND);
  }

  static void late() throws Exception {
    DirectBuffers.free(ByteBuffer.allocateDirect(LATE));
  }

  static void start(String application) {
    String boxes = Path.of("boxes").toAbsolutePath().toString();
    String[] options = Probe.patiently("interval=64k");
    String reason = NativeAgent.start(application, "driver", "localhost", boxes, options);
    if (reason != null) throw new AssertionError(reason);
  }

  static void idle() {
    for (int i = 0; i < 300_000; i++) sink = new byte[1000];
  }

  public static void main(String[] args) throws Exception {
    start("app-1");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch restarted = new CountDownLatch(1);
    Thread straggler =
        new Thread(
            () -> {
              try {
                Probe.task(0);
                ByteBuffer block = first();
                Probe.sleep(2000); // for the watcher to see it
                DirectBuffers.free(block);
                begun.countDown();
                restarted.await();
                late();
                Probe.close(0, "straggler");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    straggler.start();
    Thread idler = new Thread(SecondApplication::idle, "idler-3");
    idler.start();
    idler.join();
    begun.await();
    NativeAgent.stop();
    int messages = Probe.drain(0);
    System.out.println("messages of the first: " + messages);
    ByteBuffer between = between();

    start("app-2");
    Probe.task(0);
    ByteBuffer second = second();
    restarted.countDown();
    straggler.join();
    Probe.sleep(2500); // for the watcher to ask the kernel for its peak twice
    Probe.close(0, "task");
    NativeAgent.stop();
    Probe.drain(messages);
    DirectBuffers.free(between);
    DirectBuffers.free(second);
  }
}
