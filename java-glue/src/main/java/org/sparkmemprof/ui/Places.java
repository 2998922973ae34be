package org.sparkmemprof.ui;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Places for a few readers at a time: one has a place while its answer is made and sent.
 *
 * <p>A reader may take its answer slowly or not at all. So who has waited in vain takes over the
 * place of the one to whom we have been sending longest, if that is as long as others have to wait.
 * That one goes on without a place, as a slow reader. Slow readers are counted and bounded, because
 * each has a thread and an answer in native memory. Places are given in the order in which they
 * were asked for. Thread-safe.
 */
final class Places {
  private static final int READERS_AT_A_TIME = 4;
  private static final int MOST_SLOW = 16;
  private static final long PATIENCE_SECONDS = 2;

  private final int mostSlow;
  private final long patienceNanos;
  private final LongSupplier nanoTime;
  private final Semaphore free;
  private final Set<Place> sending = new LinkedHashSet<>(); // longest first; guarded by this
  private int slow; // readers; guarded by this

  /**
   * @param factor on the two seconds that one waits for a place, for a busy machine
   */
  Places(int factor) {
    this(READERS_AT_A_TIME, MOST_SLOW, patienceNanos(factor), System::nanoTime);
  }

  static long patienceNanos(int factor) {
    return TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS * factor);
  }

  /**
   * @param patienceNanos how long one waits for a place, and has it to oneself for sending
   */
  Places(int places, int mostSlow, long patienceNanos, LongSupplier nanoTime) {
    this.mostSlow = mostSlow;
    this.patienceNanos = patienceNanos;
    this.nanoTime = nanoTime;
    free = new Semaphore(places, true);
  }

  /** Waits for a place; null when there is none, neither free nor to be taken over. */
  Place take() throws InterruptedException {
    Place place = new Place();
    boolean found = free.tryAcquire(patienceNanos, TimeUnit.NANOSECONDS) || takeOver();
    return found ? place : null;
  }

  private synchronized boolean takeOver() {
    Iterator<Place> longest = sending.iterator();
    if (slow >= mostSlow || !longest.hasNext()) {
      return false;
    }
    Place place = longest.next();
    if (nanoTime.getAsLong() - place.sendingSince < patienceNanos) {
      return false;
    }
    longest.remove();
    place.isSlow = true;
    slow++;
    return true;
  }

  private synchronized void startSending(Place place) {
    place.sendingSince = nanoTime.getAsLong();
    sending.add(place);
  }

  /** True when the place is free again: that of a slow reader has another one by now. */
  private synchronized boolean leave(Place place) {
    sending.remove(place);
    if (place.isSlow) {
      slow--;
    }
    return !place.isSlow;
  }

  /** Of one reader, who closes it once. */
  final class Place implements AutoCloseable {
    private long sendingSince; // guarded by the places, as the next one
    private boolean isSlow;

    private Place() {}

    /** From now on the reader may be what we wait for. */
    void startSending() {
      Places.this.startSending(this);
    }

    @Override
    public void close() {
      if (leave(this)) {
        free.release();
      }
    }
  }
}
