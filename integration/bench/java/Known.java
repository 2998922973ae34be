import org.apache.spark.sql.api.java.UDF1;

/** Allocates known bytes on the heap: for each row one array, by a method for each size. */
public final class Known implements UDF1<Long, Long> {
  static volatile Object sink; // so that nothing is optimised away
  private static final int HEADER = 16; // of an array

  static void of16() {
    sink = new byte[16 - HEADER];
  }

  static void of1Ki() {
    sink = new byte[(1 << 10) - HEADER];
  }

  static void of64Ki() {
    sink = new byte[(64 << 10) - HEADER];
  }

  static void of1Mi() {
    sink = new byte[(1 << 20) - HEADER];
  }

  /** Of the size `id` says: 0 to 3. Makes a GiB of them. */
  @Override
  public Long call(Long id) {
    long count = (1L << 30) >> new int[] {4, 10, 16, 20}[id.intValue()];
    for (long i = 0; i < count; i++) {
      switch (id.intValue()) {
        case 0:
          of16();
          break;
        case 1:
          of1Ki();
          break;
        case 2:
          of64Ki();
          break;
        default:
          of1Mi();
      }
    }
    return count;
  }
}
