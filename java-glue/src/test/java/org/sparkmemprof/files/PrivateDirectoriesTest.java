package org.sparkmemprof.files;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
  public void everyStepIsPrivateAndItsParentsAreAsTheUmaskSays() throws IOException {
    String usual = mode(Files.createDirectory(base.resolve("usual")));
    Path made = PrivateDirectories.make(base.resolve("shared/new"), "ours", "app");
    assertEquals(base.resolve("shared/new/ours/app"), made);
    assertEquals("rwx------", mode(made));
    assertEquals("rwx------", mode(made.getParent()));
    assertEquals(usual, mode(base.resolve("shared/new")));
    assertEquals(usual, mode(base.resolve("shared")));
    assertEquals(
        "a second time is fine",
        made,
        PrivateDirectories.make(base.resolve("shared/new"), "ours", "app"));
  }

  @Test
  public void parentMayBeALink() throws IOException {
    Path target = Files.createDirectory(base.resolve("target"));
    Path link = Files.createSymbolicLink(base.resolve("link"), target);
    PrivateDirectories.make(link, "ours");
    assertEquals("rwx------", mode(target.resolve("ours")));
  }

  @Test
  public void directoryThatIsOpenToOthersIsRefused() throws IOException {
    Path open = Files.createDirectory(base.resolve("ours"));
    for (String mode : new String[] {"rwxrwxrwx", "rwx--x---", "rwx---r--"}) {
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString(mode));
      IOException refused =
          assertThrows(IOException.class, () -> PrivateDirectories.make(base, "ours", "app"));
      assertEquals(open + " is open to others: " + mode, refused.getMessage());
      assertFalse(Files.exists(open.resolve("app")));
    }
  }

  @Test
  public void directoryOfAnotherUserIsRefusedByNameAndOwner() throws IOException {
    Path foreign = ForeignPaths.directory(base);
    IOException refused =
        assertThrows(
            IOException.class,
            () -> PrivateDirectories.make(foreign.getParent(), foreign.getFileName().toString()));
    assertEquals(ForeignPaths.refusal(foreign), refused.getMessage());
  }

  @Test
  public void linkIsRefusedEvenToADirectoryOfOurs() throws IOException {
    Path target = PrivateDirectories.make(base, "target");
    Files.createSymbolicLink(base.resolve("ours"), target);
    assertThrows(IOException.class, () -> PrivateDirectories.make(base, "ours", "app"));
    assertFalse(Files.exists(target.resolve("app")));
  }

  /** Takes our usual name in each way that somebody else might. */
  private void squat(String how, Path usual) throws IOException {
    switch (how) {
      case "link":
        Files.createSymbolicLink(usual, Files.createDirectory(base.resolve("theirs")));
        break;
      case "file":
        Files.createFile(usual);
        break;
      case "open":
        Files.createDirectory(usual);
        Files.setPosixFilePermissions(usual, PosixFilePermissions.fromString("rwxrwxrwx"));
        break;
      default:
        Files.move(ForeignPaths.directory(base), usual);
    }
  }

  @Test
  public void whereOurUsualNameIsTakenARandomOneIsUsedAndToldOnce() throws IOException {
    List<String> ways = new ArrayList<>(Arrays.asList("link", "file", "open"));
    if (PrivateDirectories.uid() == 0) {
      ways.add("foreign"); // nobody else can give a directory away
    }
    for (String way : ways) {
      base = folder.newFolder().toPath();
      Path usual = base.resolve("sparkmemprof-" + PrivateDirectories.uid());
      squat(way, usual);
      List<String> told = new ArrayList<>();
      PrivateDirectories.Refusals refusals = (what, why) -> told.add(what + ": " + why);
      Path made = PrivateDirectories.makeOurs(base, refusals, "app");
      Path ours = made.getParent();
      assertEquals(way, base, ours.getParent());
      assertTrue(way, ours.toString().startsWith(usual + "-"));
      assertEquals("rwx------", mode(ours));
      assertEquals("rwx------", mode(made));
      assertEquals(1, told.size());
      assertTrue(told.get(0), told.get(0).startsWith(usual + ": " + usual));
      assertTrue(told.get(0), told.get(0).endsWith("; " + ours + " is used instead"));
      assertFalse("nothing of ours is there", Files.exists(usual.resolve("app")));
      assertEquals("all meet there", made, PrivateDirectories.makeOurs(base, refusals, "app"));
    }
  }

  @Test
  public void randomNameThatIsTakenIsNotUsedEither() throws IOException {
    Path usual = Files.createFile(base.resolve("sparkmemprof-" + PrivateDirectories.uid()));
    Path taken = base.resolve(usual.getFileName() + "-0");
    Files.createSymbolicLink(taken, Files.createDirectory(base.resolve("theirs")));
    Path made = PrivateDirectories.makeOurs(base, (what, why) -> {}, "app");
    assertFalse(made.startsWith(taken));
    assertFalse(Files.exists(base.resolve("theirs/app")));
  }

  @Test
  public void ourUsualNameIsUsedWhereItIsFree() throws IOException {
    List<String> told = new ArrayList<>();
    PrivateDirectories.Refusals refusals = (what, why) -> told.add(what);
    Path made = PrivateDirectories.makeOurs(base, refusals, "app");
    assertEquals(base.resolve("sparkmemprof-" + PrivateDirectories.uid() + "/app"), made);
    assertEquals(made, PrivateDirectories.makeOurs(base, refusals, "app"));
    assertTrue(told.isEmpty());
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
