import java.nio.ByteBuffer;

/**
 * A task with direct buffers of known sizes. Argument "late" loads the library here instead of by
 * -agentpath. What is live is: first + second (the peak), then second alone, then second + third.
 */
public final class DirectBuffers {
  static final int FIRST = 50_331_653;
  static final int SECOND = 33_554_467;
  static final int THIRD = 19_999_999;

  static ByteBuffer first() {
    return ByteBuffer.allocateDirect(FIRST);
  }

  static ByteBuffer second() {
    return ByteBuffer.allocateDirect(SECOND);
  }

  static ByteBuffer third() {
    return ByteBuffer.allocateDirect(THIRD);
  }

  static void free(ByteBuffer buffer) throws Exception {
    Class<?> type = Class.forName("sun.misc.Unsafe");
    java.lang.reflect.Field field = type.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    type.getMethod("invokeCleaner", ByteBuffer.class).invoke(field.get(null), buffer);
  }

  public static void main(String[] args) throws Exception {
    ByteBuffer warm =
        ByteBuffer.allocateDirect(1 << 20); // natives of Unsafe are bound before a late load
    free(warm);
    if (args.length > 0 && args[0].equals("late")) Probe.load();
    Probe.start();
    Probe.task(1);
    ByteBuffer first = first();
    ByteBuffer second = second();
    free(first);
    ByteBuffer third = third();
    Probe.close(1, "task");
    free(second);
    free(third);
    Probe.task(2);
    ByteBuffer again = third();
    Probe.close(2, "later");
    free(again);
  }
}
