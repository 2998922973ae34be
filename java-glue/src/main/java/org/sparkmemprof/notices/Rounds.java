package org.sparkmemprof.notices;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats a piece of work on a daemon thread, with a pause after each round. Whatever a round
 * throws, the next one comes: in a full heap anything may be thrown, and the job may survive that.
 * Java's own schedulers allocate between rounds, so a full heap may end their threads. A round for
 * which the heap has no room is not told: nothing is off, and what filled the heap is in the
 * report.
 */
public final class Rounds {
  private static final int MOST_FULL = 10; // in a row; then something of ours may want too much

  private final String what;
  private final Runnable round;
  private final Notices notices;
  private final long firstNanos;
  private final long pauseNanos;
  private final Thread thread;
  private volatile boolean ended;
  private volatile boolean woken;

  /**
   * @param name of the thread, after "sparkmemprof-"
   * @param firstMillis the pause before the first round
   * @param what the part of the profiler that is reported if a round throws
   */
  public Rounds(
      String name,
      long firstMillis,
      long pauseMillis,
      Runnable round,
      String what,
      Notices notices) {
    this.what = what;
    this.round = round;
    this.notices = notices;
    firstNanos = TimeUnit.MILLISECONDS.toNanos(firstMillis);
    pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
    thread = OurThreads.daemon(name).newThread(this::run);
  }

  /** Once. */
  public Rounds start() {
    thread.start();
    return this;
  }

  /** The next round begins now. Rounds that nobody has waited for are one. */
  public void wake() {
    woken = true;
    LockSupport.unpark(thread);
  }

  /** No other round begins. Does not wait for one that runs. */
  public void end() {
    ended = true;
    LockSupport.unpark(thread);
  }

  /** As {@link #end}, and interrupts a round that runs. */
  public void abandon() {
    end();
    thread.interrupt();
  }

  private void run() {
    FullHeap.prepare(OutOfMemoryError.class, Throwable.class);
    int full = 0;
    pause(firstNanos);
    while (!ended) {
      woken = false;
      try {
        round.run();
        full = 0;
      } catch (OutOfMemoryError e) {
        if (++full == MOST_FULL) {
          notices.failed(what, e);
        }
        FullHeap.awaitRoom();
      } catch (Throwable e) {
        notices.failed(what, e);
      }
      pause(pauseNanos);
    }
  }

  private void pause(long nanos) {
    long began = System.nanoTime();
    for (long left = nanos;
        left > 0 && !ended && !woken;
        left = nanos - (System.nanoTime() - began)) {
      Thread.interrupted(); // who is interrupted doesn't pause
      LockSupport.parkNanos(left);
    }
  }
}
