import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Five tasks, of which the last holds many bytes of the heap at once, on its first attempt only:
 * the job itself goes on. Where there is no room, the error is let out ("ends"), or caught, and the
 * task fails of something else ("caught").
 */
public final class HeapErrors {
  private static final int PIECE_BYTES = 100_003;
  private static final int SMALL_PIECES = 80;

  private HeapErrors() {}

  /** What all tasks held; less than that of the last one where it had no room. */
  public static long run(JavaSparkContext spark, String way, long bytes) {
    List<Integer> parts = Arrays.asList(0, 1, 2, 3, 4);
    return spark
        .parallelize(parts, parts.size())
        .map(part -> task(part, way, bytes))
        .reduce(Long::sum);
  }

  private static long task(int part, String way, long bytes) {
    boolean large = part == 4 && TaskContext.get().attemptNumber() == 0;
    if (!large) {
      return hold((long) SMALL_PIECES * PIECE_BYTES, PIECE_BYTES);
    }
    if (way.equals("ends")) {
      return hold(bytes, PIECE_BYTES);
    }
    try {
      // One large piece: the heap has room left, or another thread would run out as well, and end
      // the JVM.
      return hold(bytes / 12 * 7, (int) (bytes / 3 * 2));
    } catch (OutOfMemoryError noRoom) {
      throw new IllegalStateException("the book is closed");
    }
  }

  private static long hold(long bytes, int lastPiece) {
    List<byte[]> pieces = new ArrayList<>();
    long held = 0;
    for (; held < bytes; held += PIECE_BYTES) {
      pieces.add(piece(PIECE_BYTES));
    }
    pieces.add(piece(lastPiece));
    return held + pieces.get(pieces.size() / 2)[0];
  }

  private static byte[] piece(int bytes) {
    return new byte[bytes];
  }
}
