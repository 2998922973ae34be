package org.sparkmemprof.report;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ReportPlaceTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void theNewestPlaceIsTold() throws Exception {
    Path directory = folder.getRoot().toPath();
    ReportPlace.tell("/reports/app-1", directory);
    ReportPlace.tell("/reports/äpp-2", directory);
    byte[] told = Files.readAllBytes(directory.resolve(ReportPlace.FILE));
    assertEquals("/reports/äpp-2", new String(told, StandardCharsets.UTF_8));
  }

  @Test
  public void aDirectoryThatIsGoneIsNoError() {
    ReportPlace.tell("/reports/app-1", folder.getRoot().toPath().resolve("gone"));
    assertArrayEquals(new File[0], folder.getRoot().listFiles());
  }
}
