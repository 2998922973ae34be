package org.sparkmemprof.report;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.Test;

public class DriverReportsTest {
  private static final long AMPLE_MILLIS = 60_000;

  private final ReportScene scene = new ReportScene();
  private final Checkpoints files = new Checkpoints(scene.writer);
  private final LinkedBlockingQueue<String> deaths = new LinkedBlockingQueue<>();
  private final DriverReports reports =
      new DriverReports(
          this::take, files, true, scene.log, (what, why) -> scene.told.add(what + ": " + why));

  private List<String> take(boolean all) {
    List<String> untold = new ArrayList<>();
    deaths.drainTo(untold);
    return untold;
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
    scene.goOn();
  }

  @Test(timeout = AMPLE_MILLIS)
  public void deathIsInTheFilesBeforeTheEnd() throws Exception {
    deaths.add("a worker died");
    scene.logged.take();
    reports.finish(AMPLE_MILLIS);
    assertEquals("first", scene.written.get(0));
    assertEquals("first, final", scene.written.get(1));
  }
}
