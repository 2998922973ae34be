package org.sparkmemprof.files;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Paths;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * The directory that receives the report, on any of Hadoop's file systems. Readers see the old file
 * or the new one, never a part. It is made 0700 and its parents as the umask says, files 0600,
 * where the system knows modes.
 */
public abstract class ReportFiles {
  /** What a file will hold. */
  public interface Content {
    /** Writes it, in pieces of any size; the caller closes the stream. */
    void writeTo(OutputStream to) throws IOException;
  }

  /** Replaces {@code name} by {@code content}, atomically. If that fails, the old file stays. */
  public abstract void replace(String name, Content content) throws IOException;

  /** Nobody but its owner can read what is written. */
  public abstract boolean isPrivate();

  /** A directory whose name any process of this machine can use. */
  public abstract boolean onThisMachine();

  /** The directory as a user would type it. */
  public abstract String location();

  /**
   * Chooses by the scheme. As everywhere in Spark, a path without one is a local path.
   *
   * @throws IOException when the directory can't be made, or a local one is another user's
   */
  public static ReportFiles open(String directory, String child, Configuration hadoop)
      throws IOException {
    Path path = new Path(directory);
    URI uri = path.toUri();
    if (uri.getScheme() == null || uri.getScheme().equals("file")) {
      return new LocalReportFiles(Paths.get(uri.getPath()).toAbsolutePath().resolve(child));
    }
    return new HadoopReportFiles(new Path(path, child), hadoop);
  }
}
