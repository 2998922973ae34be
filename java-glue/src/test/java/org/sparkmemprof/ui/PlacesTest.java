package org.sparkmemprof.ui;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Test;

public class PlacesTest {
  private static final int PLACES = 2;
  private static final int MOST_SLOW = 3;
  private static final long PATIENCE = 1_000; // nanoseconds, of the test's own clock, too

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - PATIENCE); // it may overflow
  private final Places places = new Places(PLACES, MOST_SLOW, PATIENCE, now::get);

  private Places.Place sender() throws InterruptedException {
    Places.Place place = places.take();
    place.startSending();
    return place;
  }

  private void demandFree(int count) throws InterruptedException {
    List<Places.Place> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(places.take());
      assertNotNull("place " + i + " of " + count, taken.get(i));
    }
    assertNull("one more than " + count, places.take());
    taken.forEach(Places.Place::close);
  }

  @Test
  public void aPlaceThatIsGivenBackIsUsedAgain() throws InterruptedException {
    demandFree(PLACES);
    sender().close();
    demandFree(PLACES);
  }

  @Test
  public void onABusyMachineOneWaitsLonger() {
    assertEquals(9 * Places.patienceNanos(1), Places.patienceNanos(9));
  }

  @Test
  public void nobodyIsDisturbedBeforeTheTime() throws InterruptedException {
    sender();
    sender();
    now.addAndGet(PATIENCE - 1);
    assertNull(places.take());
  }

  @Test
  public void whoMakesAnAnswerKeepsThePlace() throws InterruptedException {
    places.take();
    places.take();
    now.addAndGet(10 * PATIENCE);
    assertNull(places.take());
  }

  @Test
  public void theLongestSenderLosesThePlace() throws InterruptedException {
    Places.Place early = places.take();
    Places.Place first = sender();
    now.addAndGet(PATIENCE);
    early.startSending();
    Places.Place waiter = places.take();
    assertNotNull(waiter);
    assertNull("the other one has only begun", places.take());
    first.close();
    assertNull("a slow reader gives no place back", places.take());
    early.close();
    waiter.close();
    demandFree(PLACES);
  }

  @Test
  public void slowReadersAreBounded() throws InterruptedException {
    List<Places.Place> readers = new ArrayList<>();
    for (int i = 0; i < PLACES + MOST_SLOW; i++) {
      readers.add(sender());
      now.addAndGet(PATIENCE);
    }
    assertNull("one slow reader too many", places.take());
    readers.get(0).close();
    readers.add(sender());
    assertNull(places.take());
    readers.subList(1, readers.size()).forEach(Places.Place::close);
    demandFree(PLACES);
  }

  @Test(timeout = 60_000)
  public void whoWaitsGetsThePlaceThatIsGivenBack() throws Exception {
    Places one = new Places(1, 0, TimeUnit.HOURS.toNanos(1), now::get);
    Places.Place place = one.take();
    AtomicReference<Places.Place> found = new AtomicReference<>();
    Thread waiter = new Thread(() -> found.set(takeOf(one)));
    waiter.start();
    while (waiter.isAlive() && waiter.getState() != Thread.State.TIMED_WAITING) {
      Thread.yield();
    }
    place.close();
    waiter.join();
    assertNotNull(found.get());
  }

  private static Places.Place takeOf(Places places) {
    try {
      return places.take();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test(timeout = 60_000)
  public void manyReadersLeaveAllPlacesFree() throws Exception {
    AtomicInteger readers = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(12);
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      done.add(pool.submit(() -> read(readers, most)));
    }
    for (Future<?> each : done) {
      each.get();
    }
    pool.shutdown();
    assertTrue("at once: " + most, most.get() <= PLACES + MOST_SLOW);
    assertEquals(0, readers.get());
    demandFree(PLACES);
  }

  private Void read(AtomicInteger readers, AtomicInteger most) throws InterruptedException {
    try (Places.Place place = places.take()) {
      if (place != null) {
        int reading = readers.incrementAndGet();
        most.accumulateAndGet(reading, Math::max);
        if (ThreadLocalRandom.current().nextBoolean()) {
          place.startSending();
        }
        now.addAndGet(PATIENCE / 2);
        Thread.yield();
        readers.decrementAndGet();
      }
    }
    return null;
  }
}
