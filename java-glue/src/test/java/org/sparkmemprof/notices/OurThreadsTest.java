package org.sparkmemprof.notices;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Test;

public class OurThreadsTest {
  private static final long AMPLE_MILLIS = 60_000;

  @Test
  public void theEndOfWorkIsWaitedFor() {
    AtomicBoolean ran = new AtomicBoolean();
    assertTrue(OurThreads.runWithin(AMPLE_MILLIS, "test", () -> ran.set(true)));
    assertTrue(ran.get());
  }

  /** Without a bound the test would never end. */
  @Test
  public void workThatHangsIsLeftAlone() {
    CountDownLatch letGo = new CountDownLatch(1);
    AtomicBoolean daemon = new AtomicBoolean();
    CountDownLatch started = new CountDownLatch(1);
    Runnable hangs =
        () -> {
          daemon.set(Thread.currentThread().isDaemon());
          started.countDown();
          try {
            letGo.await();
          } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
          }
        };
    assertFalse(OurThreads.runWithin(1, "test", hangs));
    try {
      started.await();
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    }
    assertTrue("it keeps no JVM alive", daemon.get());
    letGo.countDown();
  }

  /** In an executor that handler is Spark's, which ends the JVM. */
  @Test
  public void whatIsThrownReachesNoDefaultHandler() throws InterruptedException {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    AtomicReference<Throwable> reached = new AtomicReference<>();
    Thread.setDefaultUncaughtExceptionHandler((thread, why) -> reached.set(why));
    try {
      Runnable throwsError =
          () -> {
            throw new OutOfMemoryError("of a test");
          };
      Thread thread = OurThreads.daemon("test").newThread(throwsError);
      thread.start();
      thread.join(AMPLE_MILLIS);
      assertFalse(thread.isAlive());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertNull(reached.get());
  }

  @Test
  public void anInterruptionDoesNotEndTheWait() {
    AtomicBoolean ran = new AtomicBoolean();
    Thread.currentThread().interrupt();
    Runnable takesTime =
        () -> {
          try {
            Thread.sleep(200);
            ran.set(true);
          } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
          }
        };
    assertTrue(OurThreads.runWithin(AMPLE_MILLIS, "test", takesTime));
    assertTrue(ran.get());
    assertTrue("it is kept for whoever asks next", Thread.interrupted());
  }
}
