package org.sparkmemprof.report;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.sparkmemprof.notices.OurThreads;

/**
 * The only thread that writes to the report directory. The directory may hang, so only the
 * application's end waits for the thread, and not for long. At most one write is under way and one
 * more is requested. A write shows what is known when it begins, so one request is enough.
 * Thread-safe.
 */
public final class Checkpoints {
  private static final long PERIOD_SECONDS = 30;

  private final ReportWriter writer;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(OurThreads.daemon("report"));
  private Future<?> asked; // guarded by this; null: no request is waiting

  public Checkpoints(ReportWriter writer) {
    this.writer = writer;
    thread.scheduleWithFixedDelay(
        writer::checkpoint, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Requests a checkpoint in addition to the periodic ones; never waits.
   *
   * @return done when it is written, or when it will not be written
   */
  public synchronized Future<?> ask() {
    if (thread.isShutdown()) {
      return CompletableFuture.completedFuture(null);
    }
    if (asked == null) {
      asked = thread.submit(this::write);
    }
    return asked;
  }

  private void write() {
    synchronized (this) {
      asked = null;
    }
    writer.checkpoint();
  }

  /** Writes the final report after the current write; nothing is written later. Never waits. */
  public synchronized Future<ReportWriter.Summary> finish() {
    Future<ReportWriter.Summary> last = thread.submit(writer::finish);
    thread.shutdown();
    return last;
  }

  /** Gives up a write that hangs. */
  public void abandon() {
    thread.shutdownNow();
  }

  /** See {@link ReportWriter#unwritten}; not on the thread that hangs. */
  ReportWriter.Summary unwritten(String why) {
    return writer.unwritten(why);
  }
}
