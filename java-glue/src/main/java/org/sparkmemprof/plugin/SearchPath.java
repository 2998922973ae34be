package org.sparkmemprof.plugin;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code PYTHONPATH} as this JVM sees it. Spark builds the workers' search path from {@code
 * System.getenv}; no Spark setting changes it once the SparkContext is being made, and a worker's
 * working directory may be the user's own (local mode) or another one (Spark Connect with
 * artifacts). So the map behind {@code System.getenv()} is replaced by a copy with our entry. The
 * environment of this process, and what other child processes inherit, stay as they are.
 *
 * <p>Needs {@code --add-opens=java.base/java.util=ALL-UNNAMED}, which Spark's launchers give every
 * JVM.
 */
final class SearchPath {
  private static final String VARIABLE = "PYTHONPATH";

  private SearchPath() {}

  static synchronized void prepend(String directory) throws ReflectiveOperationException {
    List<String> entries = entries();
    entries.remove(directory);
    entries.add(0, directory);
    set(entries);
  }

  static synchronized void remove(String directory) throws ReflectiveOperationException {
    List<String> entries = entries();
    if (entries.remove(directory)) {
      set(entries);
    }
  }

  private static List<String> entries() {
    String path = System.getenv(VARIABLE);
    return path == null || path.isEmpty()
        ? new ArrayList<>()
        : new ArrayList<>(Arrays.asList(path.split(":")));
  }

  private static void set(List<String> entries) throws ReflectiveOperationException {
    Map<String, String> environment = new HashMap<>(System.getenv());
    if (entries.isEmpty()) {
      environment.remove(VARIABLE);
    } else {
      environment.put(VARIABLE, String.join(":", entries));
    }
    Class<?> view = Collections.unmodifiableMap(environment).getClass();
    if (System.getenv().getClass() != view) {
      throw new NoSuchFieldException("System.getenv() is no " + view + " in this JVM");
    }
    setField(view, "m", environment);
    for (String cached : new String[] {"keySet", "entrySet", "values"}) {
      setField(view, cached, null); // made again from the new map at the next call
    }
  }

  private static void setField(Class<?> view, String name, Object value)
      throws ReflectiveOperationException {
    Field field = view.getDeclaredField(name);
    try {
      field.setAccessible(true);
    } catch (RuntimeException closed) {
      throw new IllegalAccessException(
          "PYTHONPATH can't be extended: start this JVM with"
              + " --add-opens=java.base/java.util=ALL-UNNAMED, as Spark's launchers do");
    }
    field.set(System.getenv(), value);
  }
}
