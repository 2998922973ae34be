import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.sparkmemprof.jni.NativeAgent;

/**
 * Direct buffers that no running task holds: one of a thread that works for no task, one of a
 * thread of Netty's, one that outlives its task, and one that was given back before the end.
 */
public final class OutsideTasks {
  static final int KEEPERS = 7_000_003;
  static final int NETTYS = 5_000_011;
  static final int TASKS = 9_000_007;
  static final int GIVEN_BACK = 30_000_001;
  private static final List<ByteBuffer> kept = new ArrayList<>();

  static void keep(int bytes) {
    synchronized (kept) {
      kept.add(ByteBuffer.allocateDirect(bytes));
    }
  }

  static void on(String thread, Runnable work) throws Exception {
    Thread other = new Thread(work, thread);
    other.start();
    other.join();
  }

  public static void main(String[] args) throws Exception {
    Probe.start();
    on("keeper-17", () -> keep(KEEPERS));
    on("shuffle-client-4-1", () -> keep(NETTYS));
    Probe.task(1);
    keep(TASKS);
    Probe.close(1, "task");
    ByteBuffer[] brief = new ByteBuffer[1];
    on("lender-3", () -> brief[0] = ByteBuffer.allocateDirect(GIVEN_BACK));
    Probe.sleep(7000); // looks for more come every five seconds
    int messages = Probe.drain(0);
    DirectBuffers.free(brief[0]);
    NativeAgent.stop();
    Probe.drain(messages);
  }
}
