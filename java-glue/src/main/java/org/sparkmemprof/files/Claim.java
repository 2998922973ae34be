package org.sparkmemprof.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that shows that its creator lives: it is locked, and the lock ends with the process, in
 * whatever way that ends. Thread-safe.
 */
public final class Claim {
  /**
   * A process loses its lock when it closes the file anywhere, so nobody in this JVM may open a
   * file that is claimed here. Another class loader may have a copy of this class: what both know
   * is a system property for each claim, with the file's path in its name.
   */
  private static final String HELD = "org.sparkmemprof.claim:";

  private final Path file;
  private final FileChannel channel;

  private Claim(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Makes the file.
   *
   * @throws IOException when it can't be made or locked, or is there already
   */
  public static Claim make(Path file) throws IOException {
    Path real = real(file);
    FileChannel channel = create(real);
    try {
      channel.lock();
      return new Claim(real, channel);
    } catch (IOException | RuntimeException e) {
      new Claim(real, channel).release();
      throw e;
    }
  }

  /** The file is known as held before it is there. */
  private static FileChannel create(Path real) throws IOException {
    if (System.getProperties().putIfAbsent(HELD + real, "") != null) {
      throw new FileAlreadyExistsException(real.toString(), null, "claimed in this JVM");
    }
    try {
      return FileChannel.open(real, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (IOException | RuntimeException e) {
      System.clearProperty(HELD + real);
      throw e;
    }
  }

  /** Whether a living process holds the claim; a file that can't be checked counts as held. */
  public static boolean isHeld(Path file) {
    try {
      Path real = real(file);
      return System.getProperty(HELD + real) != null || isLocked(real);
    } catch (NoSuchFileException gone) {
      return false;
    } catch (IOException | OverlappingFileLockException | SecurityException e) {
      return true;
    }
  }

  private static boolean isLocked(Path real) throws IOException {
    try (FileChannel channel =
        FileChannel.open(real, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      FileLock lock = channel.tryLock();
      return lock == null;
    }
  }

  /** The same for all names of its directory. */
  private static Path real(Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    return absolute.getParent().toRealPath().resolve(absolute.getFileName());
  }

  /** Removes the file. */
  public void release() {
    PrivateDirectories.deleteIfEmpty(file);
    try {
      channel.close();
    } catch (IOException closed) {
      // The lock goes with the process, then.
    }
    System.clearProperty(HELD + file);
  }
}
