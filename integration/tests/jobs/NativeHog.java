import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Tasks that take memory in a JNI library of the user's, tests/jvm/native_hog.cc, on the heap and
 * in a direct buffer.
 */
public final class NativeHog {
  private static final int KEPT_BYTES = 50_331_653;
  private static final int GIVEN_BACK_BYTES = 33_554_467;
  private static final int HEAP_BYTES = 20_000_003;
  private static final int DIRECT_BYTES = 10_000_019;
  private static volatile Object held;

  private NativeHog() {}

  static native long keep(long bytes);

  static native void free(long block);

  /** How many tasks there were. */
  public static long run(JavaSparkContext spark, String library) {
    return spark.parallelize(Arrays.asList(1, 2), 2).map(part -> task(part, library)).count();
  }

  private static long task(int part, String library) {
    System.load(library);
    if (part == 1) {
      free(keep(GIVEN_BACK_BYTES));
      held = new Object[] {new byte[HEAP_BYTES], ByteBuffer.allocateDirect(DIRECT_BYTES)};
      return keep(KEPT_BYTES);
    }
    return 0;
  }
}
