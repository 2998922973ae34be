/**
 * Two tasks that allocate known numbers of small arrays at known lines: argument = number of arrays
 * of the first.
 */
public final class KnownAllocations {
  private static volatile Object sink;

  static void many(long count) {
    for (long i = 0; i < count; i++) sink = new byte[1000]; // 1016 bytes with its header
  }

  static void some(long count) {
    for (long i = 0; i < count; i++) sink = new long[201]; // 1624 bytes with its header
  }

  public static void main(String[] args) throws Exception {
    long count = Long.parseLong(args[0]);
    Probe.start();
    Probe.task(1);
    many(count);
    Probe.close(1, "first");
    Probe.task(2);
    some(count / 10);
    Probe.close(2, "second");
  }
}
