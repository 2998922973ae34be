package org.sparkmemprof.report;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ReportPlaceTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void theNewestPlaceIsToldUntilTheApplicationEnds() throws Exception {
    String directory = folder.getRoot().getPath();
    ReportPlace.tell("/reports/app-1", directory);
    ReportPlace.tell("/reports/\u00e4pp-2", directory);
    byte[] told = Files.readAllBytes(ReportPlace.file(directory));
    assertEquals("/reports/\u00e4pp-2", new String(told, StandardCharsets.UTF_8));
    ReportPlace.forget(directory);
    ReportPlace.forget(directory);
    assertArrayEquals(new File[0], folder.getRoot().listFiles());
  }

  @Test
  public void aDirectoryThatIsGoneOrIsNoneIsNoError() {
    ReportPlace.tell("/reports/app-1", folder.getRoot().getPath() + "/gone");
    ReportPlace.tell("/reports/app-1", "\0");
    ReportPlace.forget("\0");
    assertArrayEquals(new File[0], folder.getRoot().listFiles());
  }
}
