package org.sparkmemprof.files;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ClaimTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Path file;
  private URLClassLoader loader;
  private Class<?> secondCopy; // of Claim, in this JVM

  @Before
  public void loadSecondCopy() throws Exception {
    file = folder.getRoot().toPath().resolve("claim");
    URL classes = Claim.class.getProtectionDomain().getCodeSource().getLocation();
    loader = new URLClassLoader(new URL[] {classes}, null);
    secondCopy = loader.loadClass(Claim.class.getName());
    assertFalse(Claim.class.equals(secondCopy));
  }

  @After
  public void closeSecondCopy() throws IOException {
    loader.close();
    for (String name : System.getProperties().stringPropertyNames()) {
      assertFalse(name, name.contains(folder.getRoot().getName())); // nothing is left of a claim
    }
  }

  private boolean isHeldForSecondCopy(Path path) throws ReflectiveOperationException {
    return (Boolean) secondCopy.getMethod("isHeld", Path.class).invoke(null, path);
  }

  /** Throws what the second copy throws. */
  private Object makeInSecondCopy(Path path) throws Throwable {
    try {
      return secondCopy.getMethod("make", Path.class).invoke(null, path);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Says whether it finds a file held. */
  public static final class Asker {
    public static void main(String[] arguments) {
      System.out.write(Claim.isHeld(Paths.get(arguments[0])) ? 'y' : 'n');
      System.out.flush();
    }
  }

  private boolean isHeldForOtherProcess(Path path) throws IOException {
    String java = Paths.get(System.getProperty("java.home"), "bin", "java").toString();
    String classes = System.getProperty("java.class.path");
    Process asker =
        new ProcessBuilder(java, "-cp", classes, Asker.class.getName(), path.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (InputStream out = asker.getInputStream()) {
      int answer = out.read();
      assertTrue("it answers", answer == 'y' || answer == 'n');
      return answer == 'y';
    }
  }

  @Test
  public void secondCopyOfOurClassesDropsNoLock() throws Exception {
    Claim claim = Claim.make(file);
    assertTrue(isHeldForSecondCopy(file));
    assertTrue("the lock is still there", isHeldForOtherProcess(file));
    claim.release();
    assertFalse(isHeldForSecondCopy(file));
    assertFalse(isHeldForOtherProcess(file));
  }

  @Test
  public void ofTwoCopiesOneGetsTheClaim() throws Throwable {
    Claim claim = Claim.make(file);
    assertThrows(FileAlreadyExistsException.class, () -> makeInSecondCopy(file));
    assertTrue("still known as held", Claim.isHeld(file));
    assertTrue(isHeldForSecondCopy(file));
    assertTrue("the lock is still there", isHeldForOtherProcess(file));
    claim.release();

    Object second = makeInSecondCopy(file);
    assertThrows(FileAlreadyExistsException.class, () -> Claim.make(file));
    assertTrue(Claim.isHeld(file));
    assertTrue("the lock is still there", isHeldForOtherProcess(file));
    Method release = secondCopy.getMethod("release");
    release.invoke(second);
    assertFalse(Claim.isHeld(file));
  }

  @Test
  public void directoryByAnotherNameIsTheSame() throws Exception {
    Path link = folder.getRoot().toPath().resolve("link");
    Files.createSymbolicLink(link, Files.createDirectory(file));
    Claim claim = Claim.make(link.resolve("claim"));
    assertTrue(isHeldForSecondCopy(file.resolve("claim")));
    assertTrue(isHeldForSecondCopy(file.resolve("../link/claim")));
    assertTrue("the lock is still there", isHeldForOtherProcess(file.resolve("claim")));
    claim.release();
    assertFalse(Files.exists(file.resolve("claim")));
  }

  @Test
  public void whatADeadProcessLeftCannotBeClaimed() throws IOException {
    Files.createFile(file);
    assertThrows(FileAlreadyExistsException.class, () -> Claim.make(file));
    assertFalse("nobody holds it", Claim.isHeld(file));
    assertTrue("it is not ours", Files.exists(file));
  }

  @Test
  public void claimsThatAreGoneAreNotHeld() throws IOException {
    assertFalse(Claim.isHeld(file));
    assertFalse(Claim.isHeld(file.resolve("no-such-directory/claim")));
    assertThrows(IOException.class, () -> Claim.make(file.resolve("claim")));
  }

  @Test
  public void releasedClaimCanBeMadeAgain() throws IOException {
    Claim.make(file).release();
    Claim claim = Claim.make(file);
    assertTrue(Claim.isHeld(file));
    claim.release();
    assertEquals(0, folder.getRoot().list().length);
  }
}
