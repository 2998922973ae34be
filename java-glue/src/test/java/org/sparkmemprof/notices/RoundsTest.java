package org.sparkmemprof.notices;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.Test;

/** No test depends on how long a pause is: where one would, it would take an hour. */
public class RoundsTest {
  private static final long AMPLE_MILLIS = 60_000;
  private static final long HOUR_MILLIS = 3_600_000;

  private final Queue<String> told = new ConcurrentLinkedQueue<>();
  private final AtomicReference<Thread> thread = new AtomicReference<>();

  /** After its first round. */
  private Rounds inItsPause(Runnable round) throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(1);
    Runnable noted =
        () -> {
          thread.set(Thread.currentThread());
          told.add("a round");
          round.run();
          ran.countDown();
        };
    Rounds rounds = new Rounds("test", 0, HOUR_MILLIS, noted, "a part", (what, why) -> {}).start();
    assertTrue(ran.await(AMPLE_MILLIS, TimeUnit.MILLISECONDS));
    awaitPause();
    return rounds;
  }

  private void awaitPause() throws InterruptedException {
    long began = System.nanoTime();
    while (thread.get().getState() != Thread.State.TIMED_WAITING) {
      assertTrue("it pauses", System.nanoTime() - began < AMPLE_MILLIS * 1_000_000);
      Thread.sleep(1);
    }
  }

  private void demandEnd() throws InterruptedException {
    thread.get().join(AMPLE_MILLIS);
    assertFalse(thread.get().isAlive());
  }

  private void demandRounds(int most, Supplier<Error> error) throws Exception {
    CountDownLatch left = new CountDownLatch(most);
    Runnable round =
        () -> {
          thread.set(Thread.currentThread());
          left.countDown();
          throw error.get();
        };
    Notices full =
        (what, why) -> {
          told.add(what);
          throw new OutOfMemoryError("of a test");
        };
    Rounds rounds = new Rounds("test", 0, 1, round, "a part", full).start();
    assertTrue(left.await(AMPLE_MILLIS, TimeUnit.MILLISECONDS));
    rounds.end();
    demandEnd();
    assertTrue(thread.get().isDaemon());
    assertEquals("sparkmemprof-test", thread.get().getName());
  }

  @Test
  public void anErrorOfOneRoundEndsNoOther() throws Exception {
    demandRounds(3, () -> new AssertionError("of a test"));
    assertEquals("a part", told.peek());
  }

  /** What had no room is not off. */
  @Test
  public void aFullHeapIsNotToldUnlessItStays() throws Exception {
    demandRounds(3, () -> new OutOfMemoryError("of a test"));
    assertTrue(told.isEmpty());
    demandRounds(11, () -> new OutOfMemoryError("of a test")); // two seconds
    assertEquals(Collections.singletonList("a part"), new ArrayList<>(told));
  }

  @Test
  public void theEndComesInThePause() throws InterruptedException {
    inItsPause(() -> {}).end();
    demandEnd();
    assertEquals(1, told.size());
  }

  @Test
  public void whoIsWokenDoesNotPause() throws InterruptedException {
    CountDownLatch second = new CountDownLatch(2);
    Rounds rounds = inItsPause(second::countDown);
    rounds.wake();
    assertTrue(second.await(AMPLE_MILLIS, TimeUnit.MILLISECONDS));
    awaitPause();
    rounds.end();
    demandEnd();
  }

  @Test
  public void theEndComesBeforeTheFirstRound() throws InterruptedException {
    Runnable round = () -> told.add("a round");
    Rounds rounds =
        new Rounds("test-hour", HOUR_MILLIS, 1, round, "a part", (what, why) -> {}).start();
    Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().equals("sparkmemprof-test-hour"))
        .forEach(thread::set);
    awaitPause();
    rounds.end();
    demandEnd();
    assertTrue(told.isEmpty());
  }

  /** In Java, who is interrupted doesn't pause: the thread would only spin. */
  @Test
  public void anInterruptedRoundIsFollowedByAPause() throws InterruptedException {
    inItsPause(() -> Thread.currentThread().interrupt()).end();
    demandEnd();
    assertEquals(1, told.size());
  }
}
