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
  /** One of them; may throw anything. */
  interface Step {
    void take() throws Exception;
  }

  private final Notices notices;
  private final String[] names;
  private final Step[] steps;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final CountDownLatch done = new CountDownLatch(1);

  /**
   * @param names the part of the profiler that is reported if the step of that place throws
   */
  LastSteps(Notices notices, String[] names, Step... steps) {
    this.notices = notices;
    this.names = names;
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
    for (int i = 0; i < steps.length; i++) {
      try {
        steps[i].take();
      } catch (InterruptedException impatient) {
        interrupted = true; // the report is what it is by now
      } catch (Throwable e) {
        notices.failed(names[i], e);
      }
    }
    done.countDown();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
