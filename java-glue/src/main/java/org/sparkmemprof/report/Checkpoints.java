package org.sparkmemprof.report;

import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.Rounds;

/**
 * The only thread that writes to the report directory. The directory may hang, so only the
 * application's end waits for the thread, and not for long. A write shows what is known when it
 * begins, so one write is enough for all that was asked for before. Asking works in a full heap.
 * Thread-safe.
 */
public final class Checkpoints {
  private static final long PERIOD_MILLIS = 30_000;

  private final ReportWriter writer;
  private final FutureTask<ReportWriter.Summary> last;
  private final Rounds rounds;
  private boolean prepared; // of the rounds' thread
  private long asked; // guarded by this, as the next two: so often
  private long answered; // so many of them are written, or can't be
  private boolean over; // only the final report is still to be written

  public Checkpoints(ReportWriter writer, Notices notices) {
    this(writer, PERIOD_MILLIS, notices);
  }

  Checkpoints(ReportWriter writer, long periodMillis, Notices notices) {
    this.writer = writer;
    last = new FutureTask<>(writer::finish);
    rounds = new Rounds("report", 0, periodMillis, this::round, "the report", notices).start();
  }

  private void round() {
    long now = asked();
    if (now < 0) {
      last.run();
      rounds.end();
      return;
    }
    if (now == 0 && !prepared) {
      prepared = true;
      writer.prepare();
      return;
    }
    prepared = true;
    writer.checkpoint();
    answer(now);
  }

  /** -1: the final report is to be written. */
  private synchronized long asked() {
    return over ? -1 : asked;
  }

  private synchronized void answer(long now) {
    answered = now;
    notifyAll();
  }

  /** Requests a checkpoint in addition to the periodic ones. Never waits; allocates nothing. */
  public synchronized void ask() {
    asked++;
    rounds.wake();
  }

  /** Waits until what was asked for is written, or can't be; not for longer than that. */
  public synchronized void await(long mostMillis) throws InterruptedException {
    long mine = asked;
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMillis);
    for (long left = mostMillis; left > 0 && answered < mine && !over; ) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }
  }

  /**
   * Writes the final report after the current write; nothing is written later. Never waits. Each
   * call gives the same answer.
   */
  public synchronized Future<ReportWriter.Summary> finish() {
    over = true;
    notifyAll();
    rounds.wake();
    return last;
  }

  /** Gives up a write that hangs. */
  public void abandon() {
    rounds.abandon();
  }

  /** See {@link ReportWriter#unwritten}; not on the thread that hangs. */
  ReportWriter.Summary unwritten(String why) {
    return writer.unwritten(why);
  }
}
