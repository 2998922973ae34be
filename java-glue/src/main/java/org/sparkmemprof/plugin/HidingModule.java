package org.sparkmemprof.plugin;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** A module that {@code python -m} would find before the package that comes from the jar. */
final class HidingModule {
  private static final String PACKAGE = "sparkmemprof";
  private static final String DAEMON = "daemon.py";

  private HidingModule() {}

  /**
   * @param workingDirectory the executor's, which workers search first
   * @param pythonPath the value of {@code spark.executorEnv.PYTHONPATH}; YARN's client puts the
   *     submitter's own {@code PYTHONPATH} into it
   * @return what it is and what to do, as one line; null: there is none
   */
  static String whyHidden(Path workingDirectory, String pythonPath) {
    String found = whyHiddenBy(workingDirectory, false);
    for (String entry : pythonPath.split(File.pathSeparator)) {
      if (found == null && !entry.isEmpty()) {
        found = whyHiddenBy(Paths.get(entry), true);
      }
    }
    return found;
  }

  private static String whyHiddenBy(Path entry, boolean isOnPath) {
    Path ours = entry.resolve(PACKAGE);
    if (Files.exists(ours.resolve("__init__.py")) && Files.exists(ours.resolve(DAEMON))) {
      return ours
          + " is a copy of the profiler's own package, which workers would find before the one from"
          + " the jar: "
          + (isOnPath ? "take " + entry + " out of PYTHONPATH where you submit" : "remove it there")
          + " (an installation by pip does no harm) to have Python profiled";
    }
    for (String module : new String[] {PACKAGE + ".py", PACKAGE + "/__init__.py"}) {
      if (Files.exists(entry.resolve(module))) {
        return entry.resolve(module)
            + " hides the profiler's package: rename it to have Python profiled";
      }
    }
    return null;
  }
}
