package org.sparkmemprof.files;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Directories that only this user may enter (0700), in places that others may write to. An existing
 * directory is used only if it is a real directory, ours, and closed to others, because anybody may
 * have made it in {@code /tmp} before. Parents that are missing are made as the umask says. The
 * native side has the same rule ({@code common/system/private_file.h}). Thread-safe.
 */
public final class PrivateDirectories {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final int MOST_CANDIDATES = 1000;

  private PrivateDirectories() {}

  /** The numeric user id of this process; works without a passwd entry. */
  public static int uid() throws IOException {
    return (Integer) Files.getAttribute(Paths.get("/proc/self"), "unix:uid");
  }

  /** Is told which directory is not used, and why; and what is used instead. */
  public interface Refusals {
    void refused(String directory, String why);
  }

  private static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }

    @Override
    public String toString() {
      return getMessage();
    }
  }

  /**
   * Makes {@code base/sparkmemprof-<uid>/names[0]/...}, each step private. Where somebody else has
   * made {@code sparkmemprof-<uid>} before us, a directory with a random name beside it takes its
   * place: one that is ours already, so that all our processes on this host meet there, else a new
   * one.
   *
   * @throws IOException when a step can't be made
   */
  public static Path makeOurs(Path base, Refusals refusals, String... names) throws IOException {
    String name = "sparkmemprof-" + uid();
    Path ours;
    try {
      ours = make(base, name);
    } catch (RefusedException squatted) {
      ours = beside(base, name + "-");
      refusals.refused(
          base.resolve(name).toString(), squatted.getMessage() + "; " + ours + " is used instead");
    }
    return make(ours, names);
  }

  private static Path beside(Path base, String prefix) throws IOException {
    Path found = firstOfOurs(base, prefix);
    if (found != null) {
      return found;
    }
    Path made = Files.createTempDirectory(base, prefix); // 0700
    Path first = firstOfOurs(base, prefix); // another process may have made one meanwhile
    if (first == null || first.equals(made)) {
      return made;
    }
    deleteIfEmpty(made);
    return first;
  }

  /** By name; null: there is none. */
  private static Path firstOfOurs(Path base, String prefix) {
    List<Path> candidates = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(base, prefix + "*")) {
      for (Path candidate : found) {
        candidates.add(candidate);
        if (candidates.size() >= MOST_CANDIDATES) {
          break;
        }
      }
    } catch (IOException | DirectoryIteratorException unreadable) {
      // A new one will do.
    }
    Collections.sort(candidates);
    for (Path candidate : candidates) {
      try {
        demandOurs(candidate);
        return candidate;
      } catch (IOException notOurs) {
        // Squatted, too.
      }
    }
    return null;
  }

  /**
   * Makes {@code base/names[0]/names[1]...}, each step private; {@code base} itself is only made
   * when missing, as the umask says.
   *
   * @throws IOException when a step can't be made or belongs to somebody else
   */
  public static Path make(Path base, String... names) throws IOException {
    makeShared(base);
    Path directory = base;
    for (String name : names) {
      directory = directory.resolve(name);
      try {
        Files.createDirectory(directory, OWNER_ONLY);
      } catch (FileAlreadyExistsException exists) {
        demandOurs(directory);
      }
    }
    return directory;
  }

  /**
   * Makes a directory for files that are private themselves, and its parents. It is private when it
   * is made here; of an existing one the user has chosen the mode, and it only has to be the user's
   * own, so that nobody else can replace what is in it.
   *
   * @throws IOException when it can't be made or belongs to somebody else
   */
  public static void makeLast(Path directory) throws IOException {
    if (directory.getParent() != null) {
      makeShared(directory.getParent());
    }
    try {
      Files.createDirectory(directory, OWNER_ONLY);
    } catch (FileAlreadyExistsException exists) {
      demandOwner(directory, LinkOption.NOFOLLOW_LINKS);
      demandOwner(directory); // that a link leads to
      if (!Files.isDirectory(directory)) {
        throw new IOException(directory + " is no directory");
      }
    }
  }

  /** With its parents, as the umask says; a link to a directory is one. */
  private static void makeShared(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory);
    }
  }

  private static void demandOurs(Path directory) throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw new RefusedException(directory + " is no directory");
    }
    demandOwner(directory, LinkOption.NOFOLLOW_LINKS);
    Set<PosixFilePermission> permissions =
        Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS);
    if (!OWNER_ONLY.value().containsAll(permissions)) {
      throw new RefusedException(
          directory + " is open to others: " + PosixFilePermissions.toString(permissions));
    }
  }

  private static void demandOwner(Path path, LinkOption... options) throws IOException {
    int owner = (Integer) Files.getAttribute(path, "unix:uid", options);
    if (owner != uid()) {
      String name = Files.getOwner(path, options).getName();
      String user = name.equals(String.valueOf(owner)) ? name : owner + " (" + name + ")";
      throw new RefusedException(path + " belongs to user " + user + ", not to user " + uid());
    }
  }

  /**
   * Places for files that are to be executed or mapped executable: the temporary directory, the
   * working directory unless it is the user's own (local mode), shared memory.
   */
  public static List<Path> forCode(boolean workingDirectoryIsOurs) {
    List<Path> candidates = new ArrayList<>();
    candidates.add(Paths.get(System.getProperty("java.io.tmpdir", "/tmp")));
    if (workingDirectoryIsOurs) {
      candidates.add(Paths.get("").toAbsolutePath());
    }
    candidates.add(Paths.get("/dev/shm"));
    return candidates;
  }

  /** Removes a file, or a directory that nobody uses any more; full and missing ones are fine. */
  public static void deleteIfEmpty(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException | SecurityException inUse) {
      // Somebody else's files are in it.
    }
  }

  /**
   * Removes a file, or a directory and all in it, as far as possible; null and missing are fine.
   */
  public static void deleteTree(Path directory) {
    if (directory == null) {
      return;
    }
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException failure)
                throws IOException {
              Files.delete(visited);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException | SecurityException left) {
      // What can't be removed stays; it is private and small.
    }
  }
}
