import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Method;

/**
 * A task that takes memory by the foreign-memory interface of JDK 22, by reflection: from an arena,
 * and from the C library's malloc by a downcall.
 */
public final class ForeignMemory {
  static final long OF_ARENA = 21_000_037, OF_MALLOC = 23_000_041;

  private static Class<?> type(String name) throws ClassNotFoundException {
    return Class.forName("java.lang.foreign." + name);
  }

  static Object ofArena(Object arena) throws Exception {
    return type("SegmentAllocator").getMethod("allocate", long.class).invoke(arena, OF_ARENA);
  }

  private static MethodHandle malloc() throws Exception {
    Class<?> layout = type("MemoryLayout"), option = type("Linker$Option");
    Object address = type("ValueLayout").getField("ADDRESS").get(null);
    Object number = type("ValueLayout").getField("JAVA_LONG").get(null);
    Object arguments = Array.newInstance(layout, 1);
    Array.set(arguments, 0, number);
    Object shape =
        type("FunctionDescriptor")
            .getMethod("of", layout, arguments.getClass())
            .invoke(null, address, arguments);
    Object linker = type("Linker").getMethod("nativeLinker").invoke(null);
    Object lookup = type("Linker").getMethod("defaultLookup").invoke(linker);
    Object found = type("SymbolLookup").getMethod("find", String.class).invoke(lookup, "malloc");
    Object symbol = ((java.util.Optional<?>) found).get();
    Object options = Array.newInstance(option, 0);
    Method downcall =
        type("Linker")
            .getMethod(
                "downcallHandle",
                type("MemorySegment"),
                type("FunctionDescriptor"),
                options.getClass());
    return (MethodHandle) downcall.invoke(linker, symbol, shape, options);
  }

  static Object ofMalloc(MethodHandle malloc) throws Throwable {
    return malloc.invokeWithArguments(OF_MALLOC);
  }

  public static void main(String[] args) throws Throwable {
    Object arena = type("Arena").getMethod("ofShared").invoke(null);
    MethodHandle malloc = malloc();
    Probe.start();
    Probe.task(1);
    Object first = ofArena(arena);
    Object second = ofMalloc(malloc);
    Probe.close(1, "task");
    type("Arena").getMethod("close").invoke(arena);
    System.out.println(first != second);
    Probe.task(2);
    Probe.close(2, "later");
  }
}
