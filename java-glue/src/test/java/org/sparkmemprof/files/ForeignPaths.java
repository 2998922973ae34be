package org.sparkmemprof.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Directories that belong to another user, whoever runs the tests. */
final class ForeignPaths {
  private static final int NOBODY = 65534;

  private ForeignPaths() {}

  /** One below {@code base} where we are root; else a directory of root. */
  static Path directory(Path base) throws IOException {
    if (PrivateDirectories.uid() != 0) {
      return Paths.get("/usr/lib");
    }
    Path foreign = Files.createDirectory(base.resolve("foreign"));
    Files.setAttribute(foreign, "unix:uid", NOBODY);
    return foreign;
  }

  /** What has to be said of it. */
  static String refusal(Path foreign) throws IOException {
    int owner = (Integer) Files.getAttribute(foreign, "unix:uid");
    String name = Files.getOwner(foreign).getName();
    return foreign
        + (" belongs to user " + owner + " (" + name + "), not to user ")
        + PrivateDirectories.uid();
  }
}
