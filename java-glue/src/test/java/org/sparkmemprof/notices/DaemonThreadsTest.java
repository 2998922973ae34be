package org.sparkmemprof.notices;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.Test;

public class DaemonThreadsTest {
  private static final long AMPLE_MILLIS = 60_000;

  @Test
  public void theEndOfWorkIsWaitedFor() {
    AtomicBoolean ran = new AtomicBoolean();
    assertTrue(DaemonThreads.runWithin(AMPLE_MILLIS, "test", () -> ran.set(true)));
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
    assertFalse(DaemonThreads.runWithin(1, "test", hangs));
    try {
      started.await();
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    }
    assertTrue("it keeps no JVM alive", daemon.get());
    letGo.countDown();
  }

  @Test
  public void anInterruptionEndsTheWait() {
    CountDownLatch letGo = new CountDownLatch(1);
    Thread.currentThread().interrupt();
    Runnable waits =
        () -> {
          try {
            letGo.await();
          } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
          }
        };
    assertFalse(DaemonThreads.runWithin(AMPLE_MILLIS, "test", waits));
    assertTrue(Thread.interrupted());
    letGo.countDown();
  }
}
