import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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

  /** Keeps messages until one comes of what this thread has left. */
  private static int awaitNews(String thread) throws Exception {
    long began = System.nanoTime();
    int messages = 0;
    for (boolean told = false; !told && System.nanoTime() - began < 60_000_000_000L; ) {
      byte[] message = NativeAgent.takeMessage(1000);
      if (message == null) continue;
      String text = new String(message, StandardCharsets.ISO_8859_1);
      told = text.contains(thread) && !text.contains("noTaskOffHeapBytes"); // which is a snapshot
      Probe.keep(messages++, message);
    }
    return messages;
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
    int messages = awaitNews("thread lender-#"); // looks for more come every five seconds
    DirectBuffers.free(brief[0]);
    NativeAgent.stop();
    Probe.drain(messages);
  }
}
