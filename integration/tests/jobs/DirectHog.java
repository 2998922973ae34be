import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A task that holds some direct buffers and then wants a large one, on its first attempt only: the
 * job itself goes on.
 */
public final class DirectHog {
  private static final int PIECE_BYTES = 20_000_003;
  private static final int PIECES = 4;

  private DirectHog() {}

  /** The large buffer's bytes; 0: a later attempt ended the job. */
  public static long run(JavaSparkContext spark, long bytes) {
    return spark.parallelize(Collections.singletonList(1), 1).map(one -> take(bytes)).first();
  }

  private static long take(long bytes) {
    if (TaskContext.get().attemptNumber() > 0) {
      return 0;
    }
    List<ByteBuffer> pieces = new ArrayList<>();
    for (int i = 0; i < PIECES; i++) {
      pieces.add(piece());
    }
    return ByteBuffer.allocateDirect((int) bytes).capacity() + pieces.get(0).get(0);
  }

  private static ByteBuffer piece() {
    return ByteBuffer.allocateDirect(PIECE_BYTES);
  }
}
