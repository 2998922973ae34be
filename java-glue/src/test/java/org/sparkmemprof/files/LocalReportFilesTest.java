package org.sparkmemprof.files;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class LocalReportFilesTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  public void fileIsReplacedAndPrivate() throws IOException {
    Path directory = folder.getRoot().toPath().resolve("reports/app-1");
    ReportFiles files = new LocalReportFiles(directory);
    files.replace("report.json", bytes("a first and longer one"));
    files.replace("report.json", bytes("second"));
    Path report = directory.resolve("report.json");
    assertArrayEquals(bytes("second"), Files.readAllBytes(report));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(report)));
    assertEquals(
        "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
    assertEquals("nothing else is left", 1, directory.toFile().list().length);
  }

  @Test
  public void readerOfTheOldFileKeepsIt() throws IOException {
    Path directory = folder.getRoot().toPath();
    ReportFiles files = new LocalReportFiles(directory);
    files.replace("report.json", bytes("first"));
    Path reader = Files.createLink(directory.resolve("reader"), directory.resolve("report.json"));
    files.replace("report.json", bytes("second"));
    assertArrayEquals(
        "a new file, not a rewritten one", bytes("first"), Files.readAllBytes(reader));
  }

  @Test
  public void leftoverOfACrashIsNoObstacle() throws IOException {
    Path directory = folder.getRoot().toPath();
    Files.write(directory.resolve(".report.json.new"), bytes("half"));
    new LocalReportFiles(directory).replace("report.json", bytes("whole"));
    assertArrayEquals(bytes("whole"), Files.readAllBytes(directory.resolve("report.json")));
  }

  @Test
  public void pathWithoutSchemeIsLocalWhateverHadoopsDefault() throws IOException {
    String directory = folder.getRoot().toPath().resolve("reports").toString();
    for (String path : new String[] {directory, "file:" + directory, "file://" + directory}) {
      assertEquals(directory + "/app-1", ReportFiles.open(path, "app-1", null).location());
    }
  }

  @Test
  public void directoryThatCannotBeMadeIsTold() throws IOException {
    Path file = folder.newFile("file").toPath();
    assertThrows(IOException.class, () -> new LocalReportFiles(file.resolve("below")));
  }
}
