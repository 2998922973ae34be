package org.sparkmemprof.files;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class LeftoversTest {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private Path ours;
  private Path application;

  @Before
  public void make() throws IOException {
    ours = folder.getRoot().toPath();
    application = Files.createDirectory(ours.resolve("app-1"));
  }

  private Path packageOf(String name) throws IOException {
    Path directory = Files.createDirectory(application.resolve("python-" + name));
    Files.write(directory.resolve("daemon.py"), new byte[] {1});
    return directory;
  }

  private static void age(Path path, long millis) throws IOException {
    Files.setLastModifiedTime(path, FileTime.fromMillis(System.currentTimeMillis() - millis));
  }

  @Test
  public void whatADeadExecutorLeftGoes() throws IOException {
    Path python = packageOf("1");
    Path mark = Files.createFile(application.resolve("executor-1-x.mark"));
    Path box = Files.createFile(application.resolve("memprof+app-1.box"));
    age(python, HOUR);
    age(mark, HOUR);
    age(box, 25 * HOUR);
    Leftovers.remove(ours);
    assertFalse(Files.exists(python));
    assertFalse(Files.exists(mark));
    assertFalse(Files.exists(box));
  }

  @Test
  public void lastWordsGoAfterADayAndSoDoHalfWrittenOnes() throws IOException {
    for (String name :
        new String[] {
          "4711.words", "4711.words.draft", "workers-7.refusal", "workers-7.refusal.11.draft"
        }) {
      Path words = Files.createFile(application.resolve(name));
      age(words, HOUR);
      Leftovers.remove(ours);
      assertTrue(name, Files.exists(words));
      age(words, 25 * HOUR);
      Leftovers.remove(ours);
      assertFalse(name, Files.exists(words));
    }
  }

  @Test
  public void aBoxIsKeptForADay() throws IOException {
    Path box = Files.createFile(application.resolve("memprof+app-1.box"));
    age(box, HOUR);
    Leftovers.remove(ours);
    assertTrue(Files.exists(box));
  }

  @Test
  public void whatIsHeldStaysAndSoDoTheBoxesBesideIt() throws IOException {
    Path python = packageOf("1");
    Path other = packageOf("2");
    Claim claim = Claim.make(python.resolve(Leftovers.PACKAGE_CLAIM));
    Path box = Files.createFile(application.resolve("memprof+app-1.box"));
    age(python, HOUR);
    age(other, HOUR);
    age(box, 25 * HOUR);
    Leftovers.remove(ours);
    assertTrue(Files.exists(python.resolve("daemon.py")));
    assertTrue(Files.exists(box));
    assertFalse("nobody holds it", Files.exists(other));
    claim.release();
    age(python, HOUR);
    Leftovers.remove(ours);
    assertFalse(Files.exists(python));
    assertFalse(Files.exists(box));
  }

  @Test
  public void anOldBoxOfTheLivingStays() throws Exception {
    Path box = application.resolve("memprof+app-1.box");
    Process living = startHolder(box);
    try (InputStream out = living.getInputStream()) {
      assertEquals('y', out.read());
      age(box, 25 * HOUR);
      Leftovers.remove(ours);
      assertTrue(Files.exists(box));
    } finally {
      living.destroyForcibly();
    }
    living.waitFor();
    Leftovers.remove(ours);
    assertFalse(Files.exists(box));
  }

  @Test
  public void whatKilledDriversLeftGoesToo() throws IOException {
    Path driver = Files.createDirectories(ours.resolve("drivers/driver-x1"));
    Path old = Files.createFile(driver.resolve("memprof+driver.box"));
    Path young = Files.createFile(driver.resolve("memprof+driver-2.box"));
    age(old, 25 * HOUR);
    age(young, HOUR);
    Leftovers.remove(ours);
    assertFalse(Files.exists(old));
    assertTrue(Files.exists(young));
  }

  @Test
  public void whatIsJustBeingMadeStays() throws IOException {
    Path python = packageOf("1");
    Leftovers.remove(ours);
    assertTrue(Files.exists(python));
  }

  @Test
  public void reportsStay() throws IOException {
    Path report =
        Files.createDirectories(ours.resolve("reports/python-app")).resolve("report.json");
    Files.createFile(report);
    age(report.getParent(), 25 * HOUR);
    Leftovers.remove(ours);
    assertTrue(Files.exists(report));
  }

  /** Claims a file, says so, and waits to be killed. */
  public static final class Holder {
    public static void main(String[] arguments) throws Exception {
      Claim.make(Paths.get(arguments[0]));
      System.out.write('y');
      System.out.flush();
      Thread.sleep(600_000);
    }
  }

  private static Process startHolder(Path file) throws IOException {
    String java = Paths.get(System.getProperty("java.home"), "bin", "java").toString();
    return new ProcessBuilder(
            java,
            "-cp",
            System.getProperty("java.class.path"),
            Holder.class.getName(),
            file.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @Test
  public void aClaimGoesWithItsProcess() throws Exception {
    Path file = ours.resolve("claim");
    Process process = startHolder(file);
    try (InputStream out = process.getInputStream()) {
      assertEquals('y', out.read());
      assertTrue(Claim.isHeld(file));
    } finally {
      process.destroyForcibly();
    }
    process.waitFor();
    assertFalse(Claim.isHeld(file));
    assertTrue("it is still there", Files.exists(file));
  }
}
