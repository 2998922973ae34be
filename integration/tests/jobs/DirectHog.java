import java.nio.ByteBuffer;
import java.util.Collections;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/** A task that takes a direct buffer, on its first attempt only: the job itself goes on. */
public final class DirectHog {
  private DirectHog() {}

  /** The buffer's bytes; 0: a later attempt ended the job. */
  public static long run(JavaSparkContext spark, long bytes) {
    return spark.parallelize(Collections.singletonList(1), 1).map(one -> take(bytes)).first();
  }

  private static long take(long bytes) {
    return TaskContext.get().attemptNumber() > 0
        ? 0
        : ByteBuffer.allocateDirect((int) bytes).capacity();
  }
}
