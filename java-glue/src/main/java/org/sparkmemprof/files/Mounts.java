package org.sparkmemprof.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;

/** What {@code /proc/self/mounts} says about the file system of a path. */
public final class Mounts {
  private Mounts() {}

  /** False when code can't be mapped from there (noexec); true when nothing is known. */
  public static boolean allowsExecution(Path path) {
    try {
      List<String> mounts =
          Files.readAllLines(Paths.get("/proc/self/mounts"), StandardCharsets.UTF_8);
      return allowsExecution(path.toRealPath(), mounts);
    } catch (IOException | RuntimeException unknown) {
      return true;
    }
  }

  static boolean allowsExecution(Path path, List<String> mounts) {
    boolean allowed = true;
    int longest = -1;
    for (String line : mounts) {
      String[] fields = line.split(" ");
      if (fields.length < 4) {
        continue;
      }
      Path point = Paths.get(unescape(fields[1]));
      // Later lines cover earlier ones with the same mount point.
      if (path.startsWith(point) && point.getNameCount() >= longest) {
        longest = point.getNameCount();
        allowed = !Arrays.asList(fields[3].split(",")).contains("noexec");
      }
    }
    return allowed;
  }

  /** The kernel writes blanks and the like as three octal digits. */
  private static String unescape(String field) {
    return field.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
  }
}
