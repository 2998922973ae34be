package org.sparkmemprof.listener;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class FailedJobsTest {
  private long nanos;
  private final FailedJobs jobs = new FailedJobs(() -> nanos);

  @Test
  public void aJobIsKnownByItsExceptionAndByThoseThatItCaused() {
    Exception failure = new Exception("boom");
    jobs.started(7, new long[] {3, 4});
    jobs.ended(7, failure);
    assertEquals(7, jobs.of(failure).id);
    assertSame(jobs.of(failure), jobs.of(new RuntimeException(failure)));
    assertNull(jobs.of(new Exception("boom")));
  }

  @Test
  public void jobsWhoseEndWasNotToldGiveWayToLaterOnes() {
    for (int job = 0; job <= FailedJobs.MOST_RUNNING; job++) {
      jobs.started(job, new long[] {job});
    }
    Exception first = new Exception("first");
    Exception second = new Exception("second");
    Exception last = new Exception("last");
    jobs.ended(0, first);
    jobs.ended(1, second);
    jobs.ended(FailedJobs.MOST_RUNNING, last);
    assertNull(jobs.of(first));
    assertEquals(1, jobs.of(second).id);
    assertEquals(FailedJobs.MOST_RUNNING, jobs.of(last).id);
  }

  @Test
  public void onlyWhileThereAreJobsOrJustAfterwardsMayAnExceptionBecomeOnes() {
    assertFalse(jobs.anyLately());
    jobs.started(7, new long[0]);
    assertTrue(jobs.anyLately());
    jobs.ended(7, null);
    nanos += 9_000_000_000L;
    assertTrue(jobs.anyLately());
    nanos += 2_000_000_000L;
    assertFalse(jobs.anyLately());
  }
}
