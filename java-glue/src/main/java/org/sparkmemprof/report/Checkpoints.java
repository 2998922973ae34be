package org.sparkmemprof.report;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.sparkmemprof.notices.DaemonThreads;

/**
 * The one thread that writes to the report directory, which may hang: only the application's end
 * waits for it, and not for long. At most one write is under way and one has been asked for. It
 * shows what is known when it begins, so the latest wins. Thread-safe.
 */
public final class Checkpoints {
  private static final long PERIOD_SECONDS = 30;

  private final ReportWriter writer;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("report"));
  private Future<?> asked; // guarded by this; null: for none that has not begun

  public Checkpoints(ReportWriter writer) {
    this.writer = writer;
    thread.scheduleWithFixedDelay(
        writer::checkpoint, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Asks for a checkpoint beside the periodic ones; never waits.
   *
   * @return done when it is written, or will not be
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

  /** Writes the final report after what is under way; nothing comes after it. Never waits. */
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
