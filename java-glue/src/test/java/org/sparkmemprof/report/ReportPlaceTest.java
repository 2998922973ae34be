package org.sparkmemprof.report;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ReportPlaceTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private ReportPlace place(boolean showsPython) {
    return new ReportPlace(folder.getRoot().getPath(), showsPython, 1);
  }

  private Path file(String what) {
    String pid = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
    return folder.getRoot().toPath().resolve(pid + "." + what);
  }

  private String read(String what) throws IOException {
    return new String(Files.readAllBytes(file(what)), StandardCharsets.UTF_8);
  }

  @Test
  public void thePlaceIsToldUntilTheApplicationEnds() throws Exception {
    ReportPlace place = place(true);
    place.tell("/reports/too-early");
    assertFalse(Files.exists(file("report-place")));
    place.begin();
    assertEquals("shown ", read("report-place"));
    place.tell("/reports/\u00e4pp-1");
    assertEquals("shown /reports/\u00e4pp-1", read("report-place"));
    place.end();
    place.tell("/reports/by-a-write-that-hung");
    place.end();
    assertFalse(Files.exists(file("report-place")));
    assertEquals("shown /reports/\u00e4pp-1\n", read("ended-reports"));
  }

  @Test
  public void howLongToWaitForThisJvmIsToldWithTheApplication() throws Exception {
    place(true).begin();
    assertFalse("it is the usual time", Files.exists(file("patience")));
    new ReportPlace(folder.getRoot().getPath(), true, 7).begin();
    assertEquals("7", read("patience"));
  }

  @Test
  public void everyApplicationThatHasEndedIsTold() throws Exception {
    for (boolean showsPython : new boolean[] {true, false, true}) {
      ReportPlace place = place(showsPython);
      place.begin();
      place.tell("/reports/app");
      place.end();
    }
    ReportPlace.tellAbsent(folder.getRoot().getPath());
    ReportPlace unwritten = place(true);
    unwritten.begin();
    unwritten.tell("/reports/half");
    unwritten.end();
    String expected =
        "shown /reports/app\n"
            + "hidden /reports/app\n"
            + "shown /reports/app\n"
            + "absent \n"
            + "shown /reports/half\n";
    assertEquals(expected, read("ended-reports"));
    assertFalse(Files.exists(file("report-place")));
  }

  @Test
  public void anEndWithoutRoomForItsLineIsToldAllTheSame() throws Exception {
    ReportPlace place = place(true);
    place.begin();
    place.tell("/reports/app-1");
    Files.createDirectory(file("ended-reports"));
    place.end();
    assertFalse(Files.exists(file("report-place")));
    assertEquals("shown /reports/app-1", read("last.ended-reports"));
  }

  @Test
  public void aDirectoryThatIsGoneOrIsNoneIsNoError() {
    for (String directory : new String[] {folder.getRoot().getPath() + "/gone", "\0", null}) {
      ReportPlace place = new ReportPlace(directory, true, 7);
      place.begin();
      place.tell("/reports/app-1");
      place.end();
    }
    assertArrayEquals(new File[0], folder.getRoot().listFiles());
  }
}
