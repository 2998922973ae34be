package org.sparkmemprof.plugin;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.sparkmemprof.listener.FailedJobs;
import org.sparkmemprof.report.Checkpoints;
import org.sparkmemprof.report.ReportWriter;
import org.sparkmemprof.report.StoreFeeder;

/**
 * What PySpark's exceptions lack: the death that made a job fail, and where its post-mortem is. The
 * driver's Python asks by {@link org.sparkmemprof.MemoryProfilerPlugin#failureNote}.
 */
final class FailureNotes {
  /** A job's failure is known before other messages about the executor or worker that it lost. */
  private static final long MOST_WAIT_MILLIS = 1_500;

  private static final long POLL_MILLIS = 250;

  /** As the store does (TellsOfFullHeap); Spark 4 says only the second of a table to broadcast. */
  private static final String[] WORDS_OF_FULL_HEAP = {
    OutOfMemoryError.class.getName(), "Not enough memory to build and broadcast"
  };

  private final FailedJobs jobs;
  private final StoreFeeder feeder;
  private final ReportWriter writer;
  private final Checkpoints files;
  private final long mostWaitMillis;
  private final Map<Throwable, String> told = Collections.synchronizedMap(new WeakHashMap<>());

  FailureNotes(
      FailedJobs jobs, StoreFeeder feeder, ReportWriter writer, Checkpoints files, int patience) {
    this.jobs = jobs;
    this.feeder = feeder;
    this.writer = writer;
    this.files = files;
    mostWaitMillis = MOST_WAIT_MILLIS * patience;
  }

  /**
   * @return "": there is nothing to add. Never throws; waits only briefly for messages about a
   *     death.
   */
  String of(Throwable failure) {
    try {
      return failure == null ? "" : noteOn(failure);
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
      return "";
    } catch (Throwable e) {
      return ""; // the exception says what it said without us
    }
  }

  /**
   * PySpark asks for the JVM's exception, for its own copy of it, and for its cause: answers once.
   */
  private String noteOn(Throwable failure) throws InterruptedException {
    String note = told.get(failure);
    if (note == null) {
      String headline = headlineOf(failure);
      note =
          headline.isEmpty() ? "" : "sparkmemprof: " + headline + "\nIts post-mortem: " + place();
      told.put(failure, note);
      if (failure.getCause() != null) {
        told.put(failure.getCause(), note);
      }
    }
    return note;
  }

  /** Returns as soon as two answers are equal, because late messages may change the first. */
  private String headlineOf(Throwable failure) throws InterruptedException {
    String text = FailedJobs.textOf(failure);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostWaitMillis);
    String before = "";
    while (true) {
      FailedJobs.Job job = jobs.of(failure);
      if (job == null && !jobs.anyLately() && !tellsOfFullHeap(text)) {
        return ""; // no death has failed it
      }
      String headline =
          job == null
              ? feeder.failureNote(text, -1, new long[0], -1)
              : feeder.failureNote(text, job.id, job.stages, job.failedTask());
      if (headline == null) {
        return "";
      }
      boolean settled = !headline.isEmpty() && headline.equals(before);
      if (settled || System.nanoTime() >= deadline) {
        return headline;
      }
      before = headline;
      Thread.sleep(POLL_MILLIS);
    }
  }

  static boolean tellsOfFullHeap(String text) {
    return Arrays.stream(WORDS_OF_FULL_HEAP).anyMatch(text::contains);
  }

  private String place() throws InterruptedException {
    if (writer.location() == null) {
      files.ask();
      files.await(mostWaitMillis); // a remote file system takes its time
    }
    String location = writer.location();
    return location == null ? "in the driver's log" : location;
  }
}
