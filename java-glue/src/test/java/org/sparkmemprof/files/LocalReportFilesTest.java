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

  private static ReportFiles.Content content(String text) {
    return to -> to.write(bytes(text));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  public void fileIsReplacedAndPrivate() throws IOException {
    Path directory = folder.getRoot().toPath().resolve("reports/app-1");
    ReportFiles files = new LocalReportFiles(directory);
    files.replace("report.json", content("a first and longer one"));
    files.replace("report.json", content("second"));
    Path report = directory.resolve("report.json");
    assertArrayEquals(bytes("second"), Files.readAllBytes(report));
    assertEquals("rw-------", mode(report));
    assertEquals("rwx------", mode(directory));
    assertEquals("nothing else is left", 1, directory.toFile().list().length);
  }

  @Test
  public void missingParentsAreAsTheUmaskSays() throws IOException {
    Path root = folder.getRoot().toPath();
    String usual = mode(Files.createDirectory(root.resolve("usual")));
    new LocalReportFiles(root.resolve("shared/reports/app-1"));
    assertEquals(usual, mode(root.resolve("shared")));
    assertEquals(usual, mode(root.resolve("shared/reports")));
    assertEquals("rwx------", mode(root.resolve("shared/reports/app-1")));
  }

  @Test
  public void existingDirectoryOfAnotherUserIsRefusedByNameAndOwner() throws IOException {
    Path foreign = ForeignPaths.directory(folder.getRoot().toPath());
    IOException refused = assertThrows(IOException.class, () -> new LocalReportFiles(foreign));
    assertEquals(ForeignPaths.refusal(foreign), refused.getMessage());
    Path link = Files.createSymbolicLink(folder.getRoot().toPath().resolve("link"), foreign);
    refused = assertThrows(IOException.class, () -> new LocalReportFiles(link));
    assertEquals("a link of ours leads there", ForeignPaths.refusal(link), refused.getMessage());
  }

  @Test
  public void existingDirectoryOfOursKeepsItsMode() throws IOException {
    Path directory = Files.createDirectory(folder.getRoot().toPath().resolve("app-1"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-x---"));
    new LocalReportFiles(directory).replace("report.json", content("a report"));
    assertEquals("rwxr-x---", mode(directory));
    assertEquals("rw-------", mode(directory.resolve("report.json")));
  }

  @Test
  public void readerOfTheOldFileKeepsIt() throws IOException {
    Path directory = folder.getRoot().toPath();
    ReportFiles files = new LocalReportFiles(directory);
    files.replace("report.json", content("first"));
    Path reader = Files.createLink(directory.resolve("reader"), directory.resolve("report.json"));
    files.replace("report.json", content("second"));
    assertArrayEquals(
        "a new file, not a rewritten one", bytes("first"), Files.readAllBytes(reader));
  }

  @Test
  public void contentThatFailsHalfwayLeavesTheOldFileAlone() throws IOException {
    Path directory = folder.getRoot().toPath();
    ReportFiles files = new LocalReportFiles(directory);
    files.replace("report.json", content("first"));
    ReportFiles.Content half =
        to -> {
          to.write(bytes("sec"));
          throw new OutOfMemoryError("no native memory");
        };
    assertThrows(OutOfMemoryError.class, () -> files.replace("report.json", half));
    assertArrayEquals(bytes("first"), Files.readAllBytes(directory.resolve("report.json")));
    assertEquals("nothing else is left", 1, directory.toFile().list().length);
  }

  @Test
  public void leftoverOfACrashIsNoObstacle() throws IOException {
    Path directory = folder.getRoot().toPath();
    Files.write(directory.resolve(".report.json.new"), bytes("half"));
    new LocalReportFiles(directory).replace("report.json", content("whole"));
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
