package org.sparkmemprof.report;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.Rounds;

/**
 * The only thread that writes to the report directory. The directory may hang, so only the
 * application's end waits for the thread, and not for long. A write shows what is known when it
 * begins, so one write is enough for all that was asked for before. Asking works in a full heap.
 * Checkpoints that nobody has asked for are bounded in what they cost (decision 0809). Thread-safe.
 */
public final class Checkpoints {
  private static final long PERIOD_MILLIS = 30_000;

  /** Of the time on a processor that one took, until the next: half a percent of a core. */
  private static final long PAUSE_FACTOR = 200;

  private static final long MOST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** A page that nobody has asked for is written again after that time. */
  private static final long PAGE_NANOS = MOST_PAUSE_NANOS;

  private final ReportWriter writer;
  private final FutureTask<ReportWriter.Summary> last;
  private final LongSupplier nanos;
  private final LongSupplier cpuNanos;
  private final Rounds rounds;
  private boolean prepared; // of the rounds' thread, as the next four
  private long pausedAt;
  private long pauseNanos;
  private boolean hasPage;
  private long pageAt;
  private long asked; // guarded by this, as the next two: so often
  private long answered; // so many of them are written, or can't be
  private boolean over; // only the final report is still to be written

  public Checkpoints(ReportWriter writer, Notices notices) {
    this(writer, PERIOD_MILLIS, System::nanoTime, Checkpoints::cpuNanos, notices);
  }

  /**
   * @param nanos of a clock that is never set
   * @param cpuNanos that the calling thread has had
   */
  Checkpoints(
      ReportWriter writer,
      long periodMillis,
      LongSupplier nanos,
      LongSupplier cpuNanos,
      Notices notices) {
    this.writer = writer;
    this.nanos = nanos;
    this.cpuNanos = cpuNanos;
    last = new FutureTask<>(writer::finish);
    rounds = new Rounds("report", 0, periodMillis, this::round, "the report", notices).start();
  }

  private static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : 0;
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
    boolean isWanted = isUnanswered(now);
    long at = nanos.getAsLong();
    if (!isWanted && pauseNanos != 0 && at - pausedAt < pauseNanos) {
      return;
    }
    boolean withPage = isWanted || !hasPage || at - pageAt >= PAGE_NANOS;
    if (withPage) {
      hasPage = true;
      pageAt = at;
    }
    long before = cpuNanos.getAsLong();
    writer.checkpoint(withPage);
    if (!isWanted) {
      pause(cpuNanos.getAsLong() - before);
    }
    answer(now);
  }

  private void pause(long tookNanos) {
    pausedAt = nanos.getAsLong();
    pauseNanos = Math.min(tookNanos, MOST_PAUSE_NANOS / PAUSE_FACTOR) * PAUSE_FACTOR;
  }

  private synchronized boolean isUnanswered(long now) {
    return now > answered;
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
