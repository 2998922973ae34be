package org.sparkmemprof.files;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Any file system that Hadoop knows. {@code FileContext} can rename over an existing file, but not
 * in object stores, nor have all file systems one. There a complete file appears when it is closed.
 */
final class HadoopReportFiles extends ReportFiles {
  private static final FsPermission DIRECTORY_MODE = new FsPermission((short) 0700);
  private static final FsPermission FILE_MODE = new FsPermission((short) 0600);

  private static final Set<String> OBJECT_STORES =
      new HashSet<>(
          Arrays.asList("s3", "s3a", "s3n", "gs", "wasb", "wasbs", "oss", "cosn", "obs", "swift"));

  private final Path directory;
  private final FileContext context; // null: the store has none
  private final FileSystem store; // null: the context is used

  HadoopReportFiles(Path directory, Configuration hadoop) throws IOException {
    this.directory = directory;
    context = isObjectStore(directory.toUri().getScheme()) ? null : contextOf(directory, hadoop);
    store = context == null ? ownStore(directory, hadoop) : null;
    if (context != null) {
      Path parent = directory.getParent();
      if (parent != null && !context.util().exists(parent)) {
        // Made with the directory it would get the directory's own mode in HDFS.
        context.mkdir(parent, FsPermission.getDirDefault(), true);
      }
      context.mkdir(directory, DIRECTORY_MODE, true);
    } else {
      store.mkdirs(directory, DIRECTORY_MODE);
    }
  }

  /** Their {@code FileContext} renames by copying, after it has removed what was there. */
  static boolean isObjectStore(String scheme) {
    return scheme != null && OBJECT_STORES.contains(scheme.toLowerCase(Locale.ROOT));
  }

  /** Not the program's, which it may close, nor one that Hadoop closes before we have ended. */
  private static FileSystem ownStore(Path directory, Configuration hadoop) throws IOException {
    Configuration own = new Configuration(hadoop);
    own.setBoolean("fs.automatic.close", false);
    return FileSystem.newInstance(directory.toUri(), own);
  }

  /** Null: it has none. */
  private static FileContext contextOf(Path directory, Configuration hadoop) throws IOException {
    try {
      return FileContext.getFileContext(directory.toUri(), hadoop);
    } catch (UnsupportedFileSystemException objectStore) {
      return null;
    }
  }

  @Override
  public void replace(String name, Content content) throws IOException {
    Path target = new Path(directory, name);
    if (context == null) {
      // Whatever is written appears when the stream is closed, so all of it must be there before.
      ByteArrayOutputStream whole = new ByteArrayOutputStream();
      content.writeTo(whole);
      try (OutputStream out = store.create(target, true)) {
        whole.writeTo(out);
      }
      return;
    }
    Path temporary = new Path(directory, "." + name + ".new");
    try {
      try (OutputStream out =
          context.create(
              temporary,
              EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE),
              Options.CreateOpts.perms(FILE_MODE))) {
        content.writeTo(out);
      }
      context.rename(temporary, target, Options.Rename.OVERWRITE);
    } catch (Throwable e) {
      delete(temporary, e);
      throw e;
    }
  }

  private void delete(Path temporary, Throwable why) {
    try {
      context.delete(temporary, false);
    } catch (IOException | RuntimeException e) {
      why.addSuppressed(e);
    }
  }

  @Override
  public boolean isPrivate() {
    return false; // some know no modes
  }

  @Override
  public boolean onThisMachine() {
    return false;
  }

  @Override
  public String location() {
    return directory.toString();
  }
}
