package org.sparkmemprof.plugin;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.sparkmemprof.notices.Notices;

/**
 * What is done when an application ends: once, whoever asks first, and each step whatever became of
 * the others. They are made before the end, for which a full heap may have no room.
 */
final class LastSteps {
  /** May throw anything. */
  interface Work {
    void run() throws Exception;
  }

  /** One of them, with the part of the profiler that is reported if it throws. */
  static final class Step {
    private final String part;
    private final Work work;

    Step(String part, Work work) {
      this.part = part;
      this.work = work;
    }
  }

  private final Notices notices;
  private final Step[] steps;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final CountDownLatch done = new CountDownLatch(1);

  LastSteps(Notices notices, Step... steps) {
    this.notices = notices;
    this.steps = steps;
  }

  boolean begun() {
    return begun.get();
  }

  /** Waits until all are taken, but not for longer than that. */
  void await(long mostMillis) throws InterruptedException {
    done.await(mostMillis, TimeUnit.MILLISECONDS);
  }

  /** Never throws. Whoever is interrupted meanwhile still is at the end. */
  void take() {
    if (!begun.compareAndSet(false, true)) {
      return;
    }
    boolean interrupted = false;
    for (Step step : steps) {
      try {
        step.work.run();
      } catch (InterruptedException impatient) {
        interrupted = true; // the report is what it is by now
      } catch (Throwable e) {
        notices.failed(step.part, e);
      }
    }
    done.countDown();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
