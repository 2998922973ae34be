package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.Test;

/**
 * Its hook is run as a method, and a class of the test has the place of Spark's: no way is known to
 * end Spark's own stop in the midst each time.
 */
public class EndOfJvmTest {
  private static final long AMPLE_MILLIS = 60_000;

  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final LastSteps steps =
      new LastSteps(
          (what, why) -> seen.add(what + " is off: " + why),
          new LastSteps.Step("the end", () -> seen.add("the last step")));

  private volatile boolean stopped = true;

  private EndOfJvm ending(Runnable tell) {
    return new EndOfJvm(
        tell, steps, new EndOfJvm.Spark(Spark.class.getName(), () -> stopped), 100, 60_000);
  }

  /** Stops for a while, as Spark does, and then takes the last steps or dies. */
  private static final class Stopping extends Thread {
    final CountDownLatch begun = new CountDownLatch(1);
    private final Runnable end;

    Stopping(Runnable end) {
      this.end = end;
    }

    @Override
    public void run() {
      Spark.stop(this);
    }
  }

  private static final class Spark {
    static void stop(Stopping stopping) {
      stopping.begun.countDown();
      try {
        Thread.sleep(1_000); // longer than one waits for a stop to begin
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      stopping.end.run();
    }
  }

  @Test(timeout = AMPLE_MILLIS)
  public void whatHasBegunIsLeftToSpark() {
    steps.take();
    ending(() -> seen.add("told")).run();
    assertEquals(Arrays.asList("the last step", "told"), seen);
  }

  @Test(timeout = AMPLE_MILLIS)
  public void withoutAnyStopTheStepsAreTaken() {
    ending(
            () -> {
              throw new OutOfMemoryError("of a test");
            })
        .run();
    assertEquals(Collections.singletonList("the last step"), seen);
  }

  /** Its hook may come late: other ones go first. */
  @Test(timeout = AMPLE_MILLIS)
  public void aStopThatHasNotBegunIsAwaited() throws InterruptedException {
    stopped = false;
    Thread late =
        new Thread(
            () -> {
              LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1_000));
              seen.add("stopped late");
              steps.take();
            });
    late.start();
    ending(() -> {}).run();
    late.join();
    assertEquals(Arrays.asList("stopped late", "the last step"), seen);
  }

  private void endDuring(Runnable endOfStop) throws InterruptedException {
    Stopping stopping = new Stopping(endOfStop);
    stopping.setUncaughtExceptionHandler((thread, error) -> seen.add("Spark died of " + error));
    stopping.start();
    stopping.begun.await();
    ending(() -> {}).run();
    assertTrue(steps.begun());
    stopping.join();
  }

  @Test(timeout = AMPLE_MILLIS)
  public void aStopThatGoesOnIsAwaited() throws InterruptedException {
    endDuring(
        () -> {
          seen.add("stopped");
          steps.take();
        });
    assertEquals(Arrays.asList("stopped", "the last step"), seen);
  }

  @Test(timeout = AMPLE_MILLIS)
  public void afterAStopThatDiesTheStepsAreTaken() throws InterruptedException {
    endDuring(
        () -> {
          throw new OutOfMemoryError("of a test");
        });
    assertEquals(
        Arrays.asList("Spark died of java.lang.OutOfMemoryError: of a test", "the last step"),
        seen);
  }
}
