package org.sparkmemprof.files;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Removes what killed executors have left in our directory on this host. Python packages and marks
 * are removed as soon as nobody holds them. Black boxes are removed after a day, because until then
 * they may be the only evidence of how their process died. Files locked by a living process stay,
 * however old.
 */
public final class Leftovers {
  /** A directory whose name begins like this has a Python package... */
  public static final String PACKAGE_PREFIX = "python-";

  /** ...with this claim in it. */
  public static final String PACKAGE_CLAIM = "in-use";

  /** A claim of an executor on the black boxes beside it. */
  public static final String MARK_SUFFIX = ".mark";

  /** With last words that a process was killed over while it wrote them. */
  private static final String BOXES = "*{.box,.words,.refusal,.draft}";

  private static final String REPORTS = "reports";

  /** It has a directory for each driver's Python, as ours has one for each application. */
  private static final String DRIVERS = "drivers";

  private static final long YOUNG_MILLIS =
      TimeUnit.MINUTES.toMillis(1); // may still be in the making
  private static final long BOX_MILLIS = TimeUnit.DAYS.toMillis(1);

  private Leftovers() {}

  /**
   * @param ours a directory of applications' directories
   */
  public static void remove(Path ours) {
    try (DirectoryStream<Path> applications = Files.newDirectoryStream(ours)) {
      for (Path application : applications) {
        String name = application.getFileName().toString();
        if (!Files.isDirectory(application, LinkOption.NOFOLLOW_LINKS) || name.equals(REPORTS)) {
          continue;
        }
        if (name.equals(DRIVERS)) {
          remove(application);
        } else {
          removeFrom(application);
        }
      }
    } catch (IOException | RuntimeException unreadable) {
      // It stays as it is.
    }
  }

  private static void removeFrom(Path application) throws IOException {
    boolean inUse = false;
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(application)) {
      for (Path entry : entries) {
        Path claim = claimOn(entry);
        if (claim == null) {
          continue;
        }
        if (Claim.isHeld(claim) || !isOlder(entry, YOUNG_MILLIS)) {
          inUse = true;
        } else {
          PrivateDirectories.deleteTree(entry);
        }
      }
    }
    if (inUse) {
      return;
    }
    try (DirectoryStream<Path> boxes = Files.newDirectoryStream(application, BOXES)) {
      for (Path box : boxes) {
        if (isOlder(box, BOX_MILLIS) && !Claim.isHeld(box)) {
          PrivateDirectories.deleteIfEmpty(box);
        }
      }
    }
    if (isOlder(application, YOUNG_MILLIS)) {
      PrivateDirectories.deleteIfEmpty(application);
    }
  }

  /** The claim by which an entry is held; null for one that holds nothing in use. */
  private static Path claimOn(Path entry) {
    String name = entry.getFileName().toString();
    if (name.startsWith(PACKAGE_PREFIX)) {
      return entry.resolve(PACKAGE_CLAIM);
    }
    return name.endsWith(MARK_SUFFIX) ? entry : null;
  }

  private static boolean isOlder(Path path, long millis) {
    try {
      long changed = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toMillis();
      return System.currentTimeMillis() - changed > millis;
    } catch (IOException gone) {
      return false;
    }
  }
}
