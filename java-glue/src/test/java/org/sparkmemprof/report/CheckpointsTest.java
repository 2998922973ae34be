package org.sparkmemprof.report;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.Future;
import org.junit.Test;

public class CheckpointsTest {
  private final ReportScene scene = new ReportScene();
  private final Checkpoints checkpoints = new Checkpoints(scene.writer);

  @Test
  public void whatIsAskedForDuringAWriteIsWrittenOnceAndIsTheLatest() throws Exception {
    scene.hang();
    checkpoints.ask();
    ReportScene.await(scene.hanging);
    scene.version = "second";
    Future<?> next = checkpoints.ask();
    scene.version = "third";
    assertSame(next, checkpoints.ask());
    scene.goOn();
    next.get();
    assertEquals(Arrays.asList("first", "third"), scene.written);
  }

  @Test
  public void nothingComesAfterTheFinalReport() throws Exception {
    ReportWriter.Summary summary = checkpoints.finish().get();
    assertEquals("/reports/app-1", summary.location);
    assertEquals("summary of first, final", summary.text);
    checkpoints.ask().get();
    assertEquals(Collections.singletonList("first, final"), scene.written);
    assertEquals(Collections.singletonList("page of first, final"), scene.pages);
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
    checkpoints.ask().get();
    scene.failure = new IOException("No space left on device");
    checkpoints.ask().get();
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
