package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Before;
import org.junit.Test;

public class DriverNoticesTest {
  private final List<String> report = new ArrayList<>();
  private final DriverNotices notices = new DriverNotices();

  @Before
  public void attach() {
    notices.attach((what, why) -> report.add(what + ": " + why));
  }

  private static String repeat(char c, int times) {
    char[] text = new char[times];
    Arrays.fill(text, c);
    return new String(text);
  }

  private void flood(int count) {
    for (int i = 0; i < count; i++) {
      notices.reportOfExecutor("part " + i, "why");
    }
  }

  private List<String> untold() {
    List<String> last = new ArrayList<>();
    notices.tellUntold((what, why) -> last.add(what + ": " + why));
    return last;
  }

  @Test
  public void firstNoticeAboutEachPartIsTold() {
    notices.report("a part", "first");
    notices.reportOfExecutor("a part", "second");
    notices.reportOfExecutor("another", "third");
    notices.report("another", "fourth");
    assertEquals(Arrays.asList("a part: first", "another: third"), report);
    assertEquals(Collections.emptyList(), untold());
  }

  @Test
  public void noticeIsOneShortLine() {
    notices.reportOfExecutor("a\npart", "why\r\n\tat Some.java:1");
    notices.reportOfExecutor(repeat('p', 100_000), repeat('w', 100_000));
    assertEquals("a part: why   at Some.java:1", report.get(0));
    String what = repeat('p', DriverNotices.WHAT_CHARS - 1) + "…";
    assertEquals(what + ": " + repeat('w', DriverNotices.WHY_CHARS - 1) + "…", report.get(1));
  }

  @Test
  public void executorsFillNeitherTheLogNorTheReport() {
    flood(DriverNotices.MOST_LINES + 7);
    assertEquals(DriverNotices.MOST_LINES, report.size());
    flood(DriverNotices.MOST_LINES); // these were told already
    notices.lineOfExecutor("messages", "some were lost");
    assertEquals(DriverNotices.MOST_LINES, report.size());
    assertEquals(
        Collections.singletonList("notices of executors: 8 more came, and were only counted"),
        untold());
    assertEquals("it is told once", Collections.emptyList(), untold());
  }

  @Test
  public void driversOwnNoticesAreToldAfterAFlood() {
    flood(10 * DriverNotices.MOST_LINES);
    report.clear();
    notices.report("the report", "it can't be written");
    assertEquals(Collections.singletonList("the report: it can't be written"), report);
  }

  @Test
  public void linesOfExecutorsAreBoundedInAllTheyAre() {
    for (int i = 0; i < DriverNotices.MOST_LINES; i++) {
      notices.lineOfExecutor("messages", "executor " + i + "\n");
    }
    assertEquals("messages: executor 0 ", report.get(0));
    flood(1);
    assertEquals(DriverNotices.MOST_LINES, report.size());
    assertTrue(untold().get(0).contains(": 1 more"));
  }

  @Test
  public void withoutAReportTheyAreOnlyLogged() {
    DriverNotices early = new DriverNotices();
    early.report("profiling", "no library");
    early.lineOfExecutor("messages", "some were lost");
  }
}
