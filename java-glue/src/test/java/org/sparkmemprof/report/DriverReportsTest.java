package org.sparkmemprof.report;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.Test;

public class DriverReportsTest {
  private static final long AMPLE_MILLIS = 60_000;
  private static final long NEVER_MILLIS = 3_600_000; // a report is written when it is asked for

  private final ReportScene scene = new ReportScene();
  private final Checkpoints files =
      new Checkpoints(scene.writer, NEVER_MILLIS, () -> 0, () -> 0, scene.notices);
  private final LinkedBlockingQueue<String> deaths = new LinkedBlockingQueue<>();
  private final AtomicInteger fullHeaps = new AtomicInteger(); // so often there is no room for one
  private final DriverReports reports =
      new DriverReports(new Queued(), files, true, scene.log, scene.notices);

  private final class Queued implements DriverReports.Deaths {
    @Override
    public String nextDeath(boolean all) {
      if (fullHeaps.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new OutOfMemoryError("of a test");
      }
      return deaths.peek();
    }

    @Override
    public void deathTold() {
      deaths.remove();
    }
  }

  private void hang() {
    scene.hang();
    files.ask();
    ReportScene.await(scene.hanging);
  }

  @Test(timeout = AMPLE_MILLIS)
  public void directoryThatHangsDelaysNeitherDeathsNorTheEventLog() throws Exception {
    hang();
    CountDownLatch eventLog = new CountDownLatch(2);
    reports.everySecond(eventLog::countDown);
    deaths.add("a worker died");
    assertEquals("warn sparkmemprof: post-mortem\na worker died", scene.logged.take());
    ReportScene.await(eventLog);
    scene.goOn();
    reports.finish(AMPLE_MILLIS);
  }

  @Test(timeout = AMPLE_MILLIS)
  public void directoryThatHangsDoesNotKeepTheApplicationFromEnding() throws Exception {
    hang();
    deaths.add("the last executor died");
    reports.finish(1);
    assertEquals("warn sparkmemprof: post-mortem\nthe last executor died", scene.logged.take());
    String told = scene.told.get(0);
    assertTrue(told, told.startsWith("the final report: it was not written"));
    String summary = scene.logged.take();
    assertTrue(summary, summary.startsWith("warn sparkmemprof: the report was not written ("));
    assertTrue(summary, summary.endsWith("\nsummary of first, final"));
    scene.goOn();
  }

  @Test(timeout = AMPLE_MILLIS)
  public void deathIsInTheFilesBeforeTheEnd() throws Exception {
    deaths.add("a worker died");
    ReportScene.await(scene.firstWrite); // an end that comes before it needs no other report
    reports.finish(AMPLE_MILLIS);
    assertEquals(Arrays.asList("first", "first, final"), scene.written);
  }

  @Test(timeout = AMPLE_MILLIS)
  public void deathForWhichTheHeapHasNoRoomIsToldLater() throws Exception {
    scene.refusals.set(2);
    deaths.add("a worker died");
    assertEquals("warn sparkmemprof: post-mortem\na worker died", scene.logged.take());
    assertEquals(0, scene.refusals.get());
    assertEquals(
        Arrays.asList(
            "info sparkmemprof: report in /reports/app-1\nsummary of first, final",
            "warn sparkmemprof: the post-mortem above is in the report in /reports/app-1"),
        loggedAtTheEnd());
  }

  @Test(timeout = AMPLE_MILLIS)
  public void lastDeathsWaitForRoomInTheHeap() throws Exception {
    fullHeaps.set(2);
    deaths.add("the last executor died");
    assertEquals("warn sparkmemprof: post-mortem\nthe last executor died", loggedAtTheEnd().get(0));
    assertEquals(0, fullHeaps.get());
    assertEquals(Collections.emptyList(), scene.told);
  }

  @Test(timeout = AMPLE_MILLIS)
  public void aDeathWithoutRoomDoesNotHoldUpTheEventLog() throws Exception {
    fullHeaps.set(1_000);
    CountDownLatch eventLog = new CountDownLatch(2);
    reports.everySecond(eventLog::countDown);
    ReportScene.await(eventLog);
    fullHeaps.set(0);
    reports.finish(AMPLE_MILLIS);
  }

  @Test(timeout = AMPLE_MILLIS)
  public void whoIsInterruptedAtTheEndStillHasAReport() throws Exception {
    Thread.currentThread().interrupt();
    reports.finish(AMPLE_MILLIS);
    assertTrue(Thread.interrupted());
    assertEquals(Collections.singletonList("first, final"), scene.written);
  }

  @Test(timeout = AMPLE_MILLIS)
  public void deathThatTheLogRefusesIsNoneToTellAgain() throws Exception {
    scene.brokenLog.set(1);
    deaths.add("a worker died");
    deaths.add("another died");
    assertEquals("warn sparkmemprof: post-mortem\nanother died", scene.logged.take());
    reports.finish(AMPLE_MILLIS);
    assertEquals(
        Collections.singletonList("post-mortems: java.lang.NoClassDefFoundError: of a test"),
        scene.told);
  }

  private List<String> loggedAtTheEnd() throws Exception {
    reports.finish(AMPLE_MILLIS);
    return new ArrayList<>(scene.logged);
  }

  @Test(timeout = AMPLE_MILLIS)
  public void summaryIsLoggedAlthoughTheReportCannotBeWritten() throws Exception {
    scene.failure = new IOException("No space left on device");
    assertEquals(
        Collections.singletonList(
            "warn sparkmemprof: the report was not written"
                + " (java.io.IOException: No space left on device); its summary\n"
                + "summary of first, final"),
        loggedAtTheEnd());
    assertEquals(1, scene.told.size());
    assertTrue(scene.told.get(0), scene.told.get(0).startsWith("the report: it can't be written"));
  }

  @Test(timeout = AMPLE_MILLIS)
  public void summaryThatCallsForActionIsAWarning() throws Exception {
    scene.callsForAction = true;
    assertEquals(
        Collections.singletonList(
            "warn sparkmemprof: report in /reports/app-1\nsummary of first, final"),
        loggedAtTheEnd());
  }

  @Test(timeout = AMPLE_MILLIS)
  public void theLogsLastLinesWaitForRoomInTheHeap() throws Exception {
    scene.refusals.set(2);
    assertEquals(
        Collections.singletonList(
            "info sparkmemprof: report in /reports/app-1\nsummary of first, final"),
        loggedAtTheEnd());
  }

  @Test(timeout = AMPLE_MILLIS)
  public void summaryOfAGoodEndIsNoWarning() throws Exception {
    assertEquals(
        Collections.singletonList(
            "info sparkmemprof: report in /reports/app-1\nsummary of first, final"),
        loggedAtTheEnd());
  }

  @Test(timeout = AMPLE_MILLIS)
  public void afterADeathTheLogEndsWithItsHeadlineAndThePlaceOfTheReport() throws Exception {
    scene.callsForAction = true;
    scene.headline = "Executor 1 was\nkilled for its memory";
    deaths.add("a worker died");
    List<String> logged = loggedAtTheEnd();
    assertEquals(3, logged.size());
    assertEquals(
        "warn sparkmemprof: Executor 1 was killed for its memory; the post-mortem above is in the"
            + " report in /reports/app-1",
        logged.get(2));
  }
}
