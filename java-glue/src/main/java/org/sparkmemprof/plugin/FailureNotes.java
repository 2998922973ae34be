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

  /** After the application's end, another full heap may be of whatever runs next in this JVM. */
  private static final long LATEST_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** As the store does (TellsOfFullHeap); Spark 4 says only the second of a table to broadcast. */
  private static final String[] WORDS_OF_FULL_HEAP = {
    OutOfMemoryError.class.getName(), "Not enough memory to build and broadcast"
  };

  /** As the store knows them, too: of a job under way when a SparkContext stops. */
  private static final String WORDS_OF_STOP = "because SparkContext was shut down";

  private static final String WORDS_OF_JOB = "Job aborted due to stage failure";

  private final FailedJobs jobs;
  private final StoreFeeder feeder;
  private final ReportWriter writer;
  private final Checkpoints files;
  private final long mostWaitMillis;
  private final Map<Throwable, String> told = Collections.synchronizedMap(new WeakHashMap<>());

  /** What is said after the application's end, of the driver's full heap. Null: it runs. */
  private volatile String lastNote;

  private volatile long endNanos;

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
   * Call it before the store closes: a driver that has run out of heap may stop its SparkContext
   * long before the program sees an error.
   */
  void close() throws InterruptedException {
    String note = "";
    try {
      String headline = feeder.failureNote(WORDS_OF_FULL_HEAP[0], -1, new long[0], -1);
      note = headline == null ? "" : noteOf(headline);
    } finally { // where the heap has no room for it, too
      endNanos = System.nanoTime();
      lastNote = note;
    }
  }

  /**
   * PySpark asks for the JVM's exception, for its own copy of it, and for its cause: answers once.
   */
  private String noteOn(Throwable failure) throws InterruptedException {
    String note = told.get(failure);
    if (note == null) {
      String headline = lastNote == null ? headlineOf(failure) : null;
      note = headline == null ? lastNoteOn(FailedJobs.textOf(failure)) : noteOf(headline);
      told.put(failure, note);
      if (failure.getCause() != null) {
        told.put(failure.getCause(), note);
      }
    }
    return note;
  }

  private String noteOf(String headline) throws InterruptedException {
    return headline.isEmpty() ? "" : "sparkmemprof: " + headline + "\nIts post-mortem: " + place();
  }

  private String lastNoteOn(String text) {
    String note = lastNote;
    return note == null || isOver() || !mayBeOfEnd(text) ? "" : note;
  }

  /** Whether nothing more will be said of any exception. */
  boolean isOver() {
    return lastNote != null && System.nanoTime() - endNanos > LATEST_NANOS;
  }

  /** An executor's error, of a job, is none of the driver's heap. */
  static boolean mayBeOfEnd(String text) {
    return (tellsOfFullHeap(text) || text.contains(WORDS_OF_STOP)) && !text.contains(WORDS_OF_JOB);
  }

  /**
   * Returns as soon as two answers are equal, because late messages may change the first.
   *
   * @return null: the store doesn't know, or has closed
   */
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
        return null;
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
