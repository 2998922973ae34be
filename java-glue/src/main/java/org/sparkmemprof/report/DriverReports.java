package org.sparkmemprof.report;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.sparkmemprof.notices.FullHeap;
import org.sparkmemprof.notices.LogText;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.OneLine;
import org.sparkmemprof.notices.Rounds;

/**
 * Reports deaths in the driver's log, writes parts of the report to the event log, and writes the
 * report's files. The files have a thread of their own: a report directory that hangs delays
 * neither deaths nor the event log.
 */
public final class DriverReports {
  private static final long NEWS_MILLIS = 1_000;
  private static final int HEADLINE_CHARS = 1_000;
  private static final long SUMMARY_SECONDS = 5; // wait for the summary if files hang

  /** Deaths to report. */
  public interface Deaths {
    /**
     * The next one to report now; the same again until {@link #deathTold}; null: none.
     *
     * @param all without waiting for late messages about them
     */
    String nextDeath(boolean all);

    void deathTold();
  }

  private final Deaths deaths;
  private final Checkpoints files;
  private final boolean placeIsChosen;
  private final Logger log;
  private final Notices notices;
  private final List<Runnable> everySecond = new CopyOnWriteArrayList<>();
  private final FutureTask<?> lastDeaths = new FutureTask<>(this::tellLastDeaths, null);
  private volatile FutureTask<ReportWriter.Summary> unwritten; // null: it isn't asked for
  private final Rounds news; // goes on in a full heap, which may be what there is to report
  private volatile int toldDeaths; // changed by its thread
  private volatile boolean finished; // nothing is told any more unless it is asked for

  /**
   * @param placeIsChosen the user has named the report directory
   */
  public DriverReports(
      Deaths deaths, Checkpoints files, boolean placeIsChosen, Logger log, Notices notices) {
    this.deaths = deaths;
    this.files = files;
    this.placeIsChosen = placeIsChosen;
    this.log = log;
    this.notices = notices;
    everySecond(() -> tellDeaths(false));
    news =
        new Rounds("news", NEWS_MILLIS, NEWS_MILLIS, this::newsRound, "post-mortems", notices)
            .start();
  }

  /** Runs on the thread that reports deaths; {@code work} throws nothing. */
  public void everySecond(Runnable work) {
    everySecond.add(work);
  }

  private void newsRound() {
    if (finished) {
      finalRound();
      return;
    }
    OutOfMemoryError full = null;
    for (Runnable work : everySecond) {
      try {
        work.run();
      } catch (OutOfMemoryError e) {
        full = e;
      }
    }
    if (full != null) {
      throw full;
    }
  }

  private void finalRound() {
    lastDeaths.run(); // once, as the other
    FutureTask<?> summary = unwritten;
    if (summary != null) {
      summary.run();
    }
  }

  /** Post-mortems go to the log as soon as they are known, and into the report's files after it. */
  private void tellDeaths(boolean all) {
    for (String death = deaths.nextDeath(all); death != null; death = deaths.nextDeath(all)) {
      tellDeath(death);
      deaths.deathTold();
      if (!all) {
        files.ask();
      }
    }
  }

  /** One for which the heap has no room in the log stays the next one. */
  private void tellDeath(String death) {
    try {
      log.warn("sparkmemprof: post-mortem\n{}", LogText.of(death));
      toldDeaths++;
    } catch (OutOfMemoryError full) {
      throw full;
    } catch (Throwable e) { // a logger that is broken stays so
      notices.failed("post-mortems", e);
    }
  }

  private void tellLastDeaths() {
    try {
      FullHeap.patiently(Executors.callable(() -> tellDeaths(true)));
    } catch (Throwable e) {
      notices.failed("post-mortems", e);
    }
  }

  /**
   * Reports the last deaths, writes the final report and logs its summary. A file system that hangs
   * must not keep the application from ending.
   *
   * @param mostMillis how long to wait for the files
   */
  public void finish(long mostMillis) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMillis);
    finished = true;
    try {
      news.wake();
      FullHeap.await(lastDeaths, deadline);
      announce(FullHeap.await(files.finish(), deadline));
    } catch (TimeoutException late) {
      String why = "it was not written within " + mostMillis / 1_000 + " s";
      notices.report("the final report", why);
      announceUnwritten(why);
    } finally {
      news.end();
      files.abandon();
    }
  }

  /** Without the directory; also bounded, because nothing may keep the application from ending. */
  private void announceUnwritten(String why) throws Exception {
    FutureTask<ReportWriter.Summary> summary = new FutureTask<>(() -> files.unwritten(why));
    unwritten = summary;
    news.wake();
    try {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SUMMARY_SECONDS);
      announce(FullHeap.await(summary, deadline));
    } catch (TimeoutException late) {
      // The notice says that there is no report.
    }
  }

  /**
   * @param summary null: there is none
   */
  private void announce(ReportWriter.Summary summary) throws Exception {
    if (summary == null) {
      return;
    }
    FullHeap.patiently(Executors.callable(() -> tellSummary(summary)));
    if (summary.location != null) {
      FullHeap.patiently(Executors.callable(() -> tellPlace(summary)));
    }
  }

  private void tellSummary(ReportWriter.Summary summary) {
    String place =
        summary.location == null
            ? "the report was not written (" + summary.error + "); its summary"
            : "report in " + summary.location;
    if (summary.callsForAction || summary.location == null) { // then it is nowhere else
      log.warn("sparkmemprof: {}\n{}", place, LogText.of(summary.text));
    } else {
      log.info("sparkmemprof: {}\n{}", place, LogText.of(summary.text));
    }
  }

  private void tellPlace(ReportWriter.Summary summary) {
    if (toldDeaths > 0) {
      // People look at the end of the log when a job has died.
      log.warn(
          "sparkmemprof: {}{} in the report in {}",
          summary.headline == null
              ? ""
              : LogText.of(OneLine.of(summary.headline, HEADLINE_CHARS)) + "; ",
          toldDeaths == 1 ? "the post-mortem above is" : "post-mortems are",
          summary.location);
    } else if (!placeIsChosen && !summary.callsForAction && !log.isInfoEnabled()) {
      // Nobody chose this directory: the user would not find it.
      log.warn("sparkmemprof: report in {}", summary.location);
    }
  }
}
