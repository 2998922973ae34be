package org.sparkmemprof.files;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Local paths, without Hadoop: its local file system leaves {@code .crc} files beside ours, sets
 * modes by running {@code chmod} when the file can already be read, and needs a passwd entry.
 */
final class LocalReportFiles extends ReportFiles {
  private static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path directory;

  LocalReportFiles(Path directory) throws IOException {
    this.directory = directory;
    PrivateDirectories.makeLast(directory);
  }

  @Override
  public void replace(String name, Content content) throws IOException {
    Path temporary = directory.resolve("." + name + ".new");
    Files.deleteIfExists(temporary);
    EnumSet<StandardOpenOption> fresh =
        EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      try (OutputStream out =
          Channels.newOutputStream(FileChannel.open(temporary, fresh, FILE_MODE))) {
        content.writeTo(out);
      }
      Files.move(temporary, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  @Override
  public boolean isPrivate() {
    return true;
  }

  @Override
  public boolean onThisMachine() {
    return true;
  }

  @Override
  public String location() {
    return directory.toString();
  }
}
