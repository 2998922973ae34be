package org.sparkmemprof.report;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.Test;

public class CheckpointsTest {
  private static final long AMPLE_MILLIS = 60_000;
  private static final long NEVER_MILLIS = 3_600_000; // a report is written when it is asked for

  private final ReportScene scene = new ReportScene();
  private final Checkpoints checkpoints =
      new Checkpoints(scene.writer, NEVER_MILLIS, () -> 0, () -> 0, scene.notices);

  private void written() throws InterruptedException {
    checkpoints.ask();
    checkpoints.await(AMPLE_MILLIS);
  }

  @Test
  public void whatIsAskedForDuringAWriteIsWrittenOnceAndIsTheLatest() throws Exception {
    scene.hang();
    checkpoints.ask();
    ReportScene.await(scene.hanging);
    scene.version = "second";
    checkpoints.ask();
    scene.version = "third";
    checkpoints.ask();
    scene.goOn();
    checkpoints.await(AMPLE_MILLIS);
    assertEquals(Arrays.asList("first", "third"), scene.written);
  }

  @Test
  public void whoAsksOfAHangingDirectoryWaitsNoLongerThanHeWants() throws Exception {
    scene.hang();
    checkpoints.ask();
    checkpoints.await(1);
    assertEquals(Collections.emptyList(), scene.written);
    scene.goOn();
    checkpoints.await(AMPLE_MILLIS);
    assertEquals(Collections.singletonList("first"), scene.written);
  }

  @Test
  public void nothingComesAfterTheFinalReport() throws Exception {
    ReportWriter.Summary summary = checkpoints.finish().get();
    assertEquals("/reports/app-1", summary.location);
    assertEquals("summary of first, final", summary.text);
    assertSame(summary, checkpoints.finish().get());
    written();
    assertEquals(Collections.singletonList("first, final"), scene.written);
    assertEquals(Collections.singletonList("page of first, final"), scene.pages);
  }

  @Test
  public void checkpointsThatNobodyAskedForHaveThePageEachFiveMinutes() throws Exception {
    ReportScene running = new ReportScene();
    int minutes = 21;
    running.writes = new CountDownLatch(minutes);
    LongSupplier nanos = () -> running.written.size() * 60_000_000_000L; // one in each minute
    Checkpoints periodic = new Checkpoints(running.writer, 1, nanos, () -> 0, running.notices);
    ReportScene.await(running.writes);
    periodic.finish().get();
    int written = running.written.size() - 1; // without the final one
    assertTrue(written >= minutes);
    int expected = 1 + (written - 1) / 5;
    assertEquals(expected, running.pages.size() - 1);
    assertEquals("page of first", running.pages.get(0));
    assertEquals("page of first, final", running.pages.get(expected));
  }

  @Test
  public void afterAnExpensiveOneOnlyThoseThatAreAskedForCome() throws Exception {
    AtomicLong cpuNanos = new AtomicLong(); // an hour each
    CountDownLatch rounds = new CountDownLatch(20);
    ReportScene costly = new ReportScene();
    Checkpoints paused =
        new Checkpoints(
            costly.writer,
            1,
            () -> {
              rounds.countDown();
              return 0;
            },
            () -> cpuNanos.addAndGet(3_600_000_000_000L),
            costly.notices);
    ReportScene.await(costly.firstWrite);
    ReportScene.await(rounds);
    paused.ask();
    paused.await(AMPLE_MILLIS);
    paused.finish().get();
    assertEquals(Arrays.asList("first", "first", "first, final"), costly.written);
  }

  @Test
  public void whatIsAskedForHasThePage() throws Exception {
    written();
    scene.version = "second";
    written();
    assertEquals(Arrays.asList("page of first", "page of second"), scene.pages);
  }

  /** Before anything is written: a JVM may die at any time. */
  @Test
  public void thePlaceIsKnownFromTheBeginning() throws Exception {
    long began = System.nanoTime();
    while (scene.places.size() < 2) {
      assertTrue(System.nanoTime() - began < AMPLE_MILLIS * 1_000_000);
      Thread.sleep(1);
    }
    assertEquals(Collections.emptyList(), scene.written);
    written();
    checkpoints.finish().get();
    assertEquals(
        Arrays.asList("null with source", "/reports/app-1 with source", "written"), scene.places);
  }

  @Test
  public void theFinalReportIsTriedAgainInAFullHeap() throws Exception {
    scene.fullHeaps.set(2);
    assertEquals("/reports/app-1", checkpoints.finish().get().location);
    assertEquals(Collections.singletonList("first, final"), scene.written);
    assertEquals(Collections.emptyList(), scene.told);
    assertEquals(0, scene.open.get());
  }

  @Test
  public void noReportStaysInNativeMemory() throws Exception {
    written();
    scene.failure = new IOException("No space left on device");
    written();
    checkpoints.finish().get();
    assertEquals(2, scene.told.size());
    assertEquals(4, scene.made.get());
    assertEquals(0, scene.open.get());
  }

  @Test
  public void finalReportComesAfterTheWriteUnderWay() throws Exception {
    scene.hang();
    checkpoints.ask();
    ReportScene.await(scene.hanging);
    Future<ReportWriter.Summary> last = checkpoints.finish();
    scene.goOn();
    last.get();
    assertEquals(Arrays.asList("first", "first, final"), scene.written);
  }
}
