import java.nio.ByteBuffer;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.api.java.UDF2;

/**
 * A function of SQL that takes known bytes, on the heap and in a direct buffer, and says in the
 * executor's log in which work and for which task attempt. It returns its first argument.
 */
public final class KnownBytes implements UDF2<Long, String, Long> {
  private static final int PIECES = 24;
  private static final int PIECE_BYTES = 10_000_019;
  private static final int DIRECT_BYTES = 64_000_007;
  private static volatile Object held; // else the JVM may leave an allocation out

  @Override
  public Long call(Long row, String work) {
    take();
    System.err.println("KNOWN " + work + " " + TaskContext.get().taskAttemptId());
    return row;
  }

  private static void take() {
    for (int i = 0; i < PIECES; i++) {
      held = new byte[PIECE_BYTES];
    }
    held = ByteBuffer.allocateDirect(DIRECT_BYTES);
    held = null;
  }
}
