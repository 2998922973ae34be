package org.sparkmemprof.files;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class PrivateDirectoriesTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Path base;

  @Before
  public void setUp() {
    base = folder.getRoot().toPath();
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  public void everyStepIsPrivate() throws IOException {
    Path made = PrivateDirectories.make(base.resolve("new"), "ours", "app");
    assertEquals(base.resolve("new/ours/app"), made);
    for (Path step = made; !step.equals(base); step = step.getParent()) {
      assertEquals("rwx------", mode(step));
    }
    assertEquals(
        "a second time is fine", made, PrivateDirectories.make(base, "new", "ours", "app"));
  }

  @Test
  public void directoryThatOthersCanWriteIsRefused() throws IOException {
    Path open = Files.createDirectory(base.resolve("ours"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    IOException refused =
        assertThrows(IOException.class, () -> PrivateDirectories.make(base, "ours", "app"));
    assertTrue(refused.getMessage(), refused.getMessage().contains("can be written by others"));
    assertFalse(Files.exists(open.resolve("app")));
  }

  @Test
  public void linkIsRefusedEvenToADirectoryOfOurs() throws IOException {
    Path target = PrivateDirectories.make(base, "target");
    Files.createSymbolicLink(base.resolve("ours"), target);
    assertThrows(IOException.class, () -> PrivateDirectories.make(base, "ours", "app"));
    assertFalse(Files.exists(target.resolve("app")));
  }

  @Test
  public void treeIsDeletedWithoutFollowingLinks() throws IOException {
    Path kept = Files.createFile(PrivateDirectories.make(base, "kept").resolve("file"));
    Path tree = PrivateDirectories.make(base, "tree", "below").getParent();
    Files.createFile(tree.resolve("below/file"));
    Files.createSymbolicLink(tree.resolve("link"), kept.getParent());
    PrivateDirectories.deleteTree(tree);
    PrivateDirectories.deleteTree(tree); // gone already
    PrivateDirectories.deleteTree(null);
    assertFalse(Files.exists(tree));
    assertTrue(Files.exists(kept));
  }
}
