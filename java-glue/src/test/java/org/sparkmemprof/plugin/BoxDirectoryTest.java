package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.sparkmemprof.files.PrivateDirectories;

public class BoxDirectoryTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final List<String> told = new ArrayList<>();
  private final StringBuilder failures = new StringBuilder();

  private BoxDirectory make(String executor) {
    return BoxDirectory.make(
        folder.getRoot().toString(),
        "app-1",
        executor,
        false,
        3,
        failures,
        (what, why) -> told.add(what));
  }

  @Test
  public void executorsOfAHostMeetAlsoWhereTheUsualNameIsTaken() throws IOException {
    Path base = folder.getRoot().toPath();
    Path usual = Files.createFile(base.resolve("sparkmemprof-" + PrivateDirectories.uid()));
    BoxDirectory first = make("1");
    BoxDirectory second = make("2");
    assertEquals("", failures.toString());
    assertTrue(first.path().toString().startsWith(usual + "-"));
    assertEquals("so that one reads the boxes of the other", first.path(), second.path());
    assertEquals(usual.toString(), told.get(0));
    first.leave();
    assertTrue(Files.exists(second.path()));
    second.leave();
    assertFalse(Files.exists(second.path()));
  }

  @Test
  public void applicationsOfTheSameIdHaveTheirOwn() {
    SparkConf conf = new SparkConf(false);
    assertEquals("app-1", BoxDirectory.nameOf("app-1", conf));
    conf.set("spark.app.startTime", "1700000000123");
    assertEquals("app-1-1700000000123", BoxDirectory.nameOf("app-1", conf));
    conf.set("spark.app.startTime", "../up");
    assertEquals("app-1", BoxDirectory.nameOf("app-1", conf));
  }

  @Test
  public void workersAreToldTheDirectoryThatIsUsed() throws IOException {
    Path base = folder.getRoot().toPath();
    Files.createFile(base.resolve("sparkmemprof-" + PrivateDirectories.uid()));
    String path = make("1").path().toString();
    String config = PythonPackage.config("app-1", "1", path, new Settings(new SparkConf(false)));
    assertTrue(config, config.contains("\"boxDirectory\": \"" + path + "\""));
  }
}
