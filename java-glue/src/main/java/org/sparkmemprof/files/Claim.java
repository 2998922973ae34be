package org.sparkmemprof.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A file that shows that its creator lives: it is locked, and the lock ends with the process, in
 * whatever way that ends. Thread-safe.
 */
public final class Claim {
  // A process loses its lock when it closes the file anywhere, so our own claims are never opened.
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

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
    Path absolute = file.toAbsolutePath();
    FileChannel channel =
        FileChannel.open(absolute, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    HELD_HERE.add(absolute);
    try {
      channel.lock();
      return new Claim(absolute, channel);
    } catch (IOException | RuntimeException e) {
      new Claim(absolute, channel).release();
      throw e;
    }
  }

  /** Whether a living process holds the claim; a file that can't be checked counts as held. */
  public static boolean isHeld(Path file) {
    Path absolute = file.toAbsolutePath();
    if (HELD_HERE.contains(absolute)) {
      return true;
    }
    try (FileChannel channel =
        FileChannel.open(absolute, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      FileLock lock = channel.tryLock();
      return lock == null;
    } catch (java.nio.file.NoSuchFileException gone) {
      return false;
    } catch (IOException | OverlappingFileLockException | SecurityException e) {
      return true;
    }
  }

  /** Removes the file. */
  public void release() {
    PrivateDirectories.deleteIfEmpty(file);
    try {
      channel.close();
    } catch (IOException closed) {
      // The lock goes with the process, then.
    }
    HELD_HERE.remove(file);
  }
}
