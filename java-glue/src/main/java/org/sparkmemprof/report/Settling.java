package org.sparkmemprof.report;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * When a store has settled: everything that was passed in is in it, and nothing is lacking that the
 * caller needs. All methods are thread-safe.
 */
public final class Settling {
  /** What the caller of {@link #await} still lacks, beside what is on its way into the store. */
  public enum Lack {
    NOTHING,
    /** Native names of sites. */
    NAMES,
    /** Messages that have not come yet, and so their names as well. */
    MESSAGES
  }

  private static final long POLL_MILLIS = 5;
  private static final long NAMES_POLL_MILLIS = 20; // the store makes its report to answer

  private final BooleanSupplier isIdle;
  private final BooleanSupplier awaitsNames;

  /**
   * @param isIdle true when everything that was passed in before the call is in the store
   * @param awaitsNames true while sites in the store have no native names yet
   */
  Settling(BooleanSupplier isIdle, BooleanSupplier awaitsNames) {
    this.isIdle = isIdle;
    this.awaitsNames = awaitsNames;
  }

  /**
   * Waits until the store has settled. Only on threads that may wait.
   *
   * @param mostMillis how long at the most, for more may come all the time
   * @param lack asked before each look
   * @return false: it has not
   */
  boolean await(long mostMillis, Supplier<Lack> lack) throws InterruptedException {
    long begin = System.nanoTime();
    long most = TimeUnit.MILLISECONDS.toNanos(mostMillis);
    for (Lack lacking = lack.get(); !isSettled(lacking); lacking = lack.get()) {
      if (System.nanoTime() - begin >= most) {
        return false;
      }
      Thread.sleep(lacking == Lack.NAMES ? NAMES_POLL_MILLIS : POLL_MILLIS);
    }
    return true;
  }

  /**
   * In this order: the last message is passed in before its sender lacks nothing any more, and only
   * what is in the store has sites to be named.
   */
  private boolean isSettled(Lack lack) {
    return lack != Lack.MESSAGES
        && isIdle.getAsBoolean()
        && (lack == Lack.NOTHING || !awaitsNames.getAsBoolean());
  }
}
