package org.sparkmemprof.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Copies members of the jar that holds this class. */
public final class JarMember {
  private JarMember() {}

  public static boolean exists(String member) {
    return JarMember.class.getResource(member) != null;
  }

  /**
   * Copies a member into a new file, without keeping it in the heap.
   *
   * @param member absolute, e.g. {@code /python/manifest.txt}
   * @return false when the jar has none of that name; then there is no file either
   * @throws IOException when the jar is damaged or the file can't be written
   */
  public static boolean copy(String member, Path file) throws IOException {
    try (InputStream in = JarMember.class.getResourceAsStream(member)) {
      if (in == null) {
        return false;
      }
      Files.copy(in, file);
      return true;
    }
  }
}
