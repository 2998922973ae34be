package org.sparkmemprof.report;

import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.jni.NativePages;
import org.sparkmemprof.jni.NativeReport;
import org.sparkmemprof.jni.NativeStore;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.ui.Answers;

/**
 * Owns the native profile store and what feeds it. Spark calls us on its DAG scheduler, its
 * listener bus and its RPC threads: they only enqueue here, and never wait. Queue, thread and store
 * are native, so a driver whose heap is full still reports of what filled it.
 *
 * <p>What doesn't fit into the queue is dropped and counted, and the report says so. All methods
 * are thread-safe.
 */
public final class StoreFeeder implements Answers, DriverReports.Deaths {
  private static final long SETTLE_MILLIS = 300;

  private final long store;
  private final long feed;
  private final long settleMillis;
  private final Settling settling = new Settling(this::isIdle, this::awaitsSymbols);
  private final Notices notices;
  private long pages; // guarded by this; 0: not requested yet
  private boolean storeClosed; // guarded by this

  /**
   * @param patience factor on waits that give up, for a busy machine
   * @throws UnsatisfiedLinkError when the library isn't there
   */
  public StoreFeeder(long limitBytes, int patience, Notices notices) {
    this.notices = notices;
    settleMillis = SETTLE_MILLIS * patience;
    NativeFeed.prepare();
    store = NativeStore.open(limitBytes, patience);
    feed = feedOf(store);
  }

  private static long feedOf(long store) {
    try {
      return NativeFeed.open(store);
    } catch (OutOfMemoryError e) {
      NativeStore.close(store);
      throw e;
    }
  }

  /** A message of an executor, in any order and any number of times. */
  public void ingest(byte[] envelope) {
    NativeFeed.ingest(feed, envelope); // allocates nothing in Java
  }

  /** An event of the driver; {@code action} passes the feed's handle to {@link NativeFeed}. */
  public void event(LongConsumer action) {
    try {
      action.accept(feed);
    } catch (OutOfMemoryError full) {
      NativeFeed.countDropped(feed, false);
      throw full;
    }
  }

  /** A line of the report's {@code notAvailable}. */
  public void notAvailable(String what, String why) {
    NativeFeed.notAvailable(feed, what, why);
  }

  /** As {@link #notAvailable}, in the store on return: for what the final report has to say. */
  public synchronized void notAvailableAtOnce(String what, String why) {
    if (!storeClosed) {
      NativeStore.notAvailable(store, what, why);
    }
  }

  /** See {@link NativeStore#notebookCell}; in the store on return. */
  public synchronized void notebookCell(String file, int number, String text, String redaction) {
    if (!storeClosed) {
      NativeStore.notebookCell(store, file, number, text, redaction);
    }
  }

  /**
   * Waits until the store has settled; see {@link Settling#await}.
   *
   * @param mostMillis with the patience in it
   */
  public boolean settle(long mostMillis, Supplier<Settling.Lack> lack) throws InterruptedException {
    return settling.await(mostMillis, lack);
  }

  /**
   * For a checkpoint, 0.3 s × patience at most: one right after the application's start would not
   * have its name. Only on threads of ours.
   */
  void settle() {
    try {
      settle(settleMillis, () -> Settling.Lack.NOTHING);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isIdle() {
    return NativeFeed.isIdle(feed);
  }

  /** True while sites of the report still wait for their native names. */
  private synchronized boolean awaitsSymbols() {
    return !storeClosed && NativeStore.awaitsSymbols(store);
  }

  @Override
  public String nextDeath(boolean all) {
    byte[] text = postMortem(all);
    if (text == null) {
      tellRefusal();
      return null;
    }
    return new String(text, StandardCharsets.UTF_8);
  }

  private synchronized byte[] postMortem(boolean all) {
    return storeClosed ? null : NativeStore.nextPostMortem(store, System.currentTimeMillis(), all);
  }

  @Override
  public synchronized void deathTold() {
    if (!storeClosed) {
      NativeStore.postMortemTold(store);
    }
  }

  private void tellRefusal() {
    try {
      String refused = NativeFeed.takeRefusal(feed);
      if (refused != null) {
        notices.report("part of the profile", refused);
      }
    } catch (OutOfMemoryError full) {
      // The report has it.
    }
  }

  /** See {@link NativeStore#willBeReported}. */
  public synchronized void willBeReported(String directory, boolean withSource) {
    String why = storeClosed ? null : NativeStore.willBeReported(store, directory, withSource);
    if (why != null) {
      notices.report("the report of a driver whose heap is full at its end", why);
    }
  }

  /** See {@link NativeStore#isReported}. */
  public synchronized void isReported() {
    if (!storeClosed) {
      NativeStore.isReported(store);
    }
  }

  /** See {@link NativeStore#failureNote}; null after {@link #close}, too. */
  public synchronized String failureNote(String failure, int jobId, long[] stages, long task) {
    return storeClosed
        ? null
        : NativeStore.failureNote(store, failure, jobId, stages, task, System.currentTimeMillis());
  }

  /** See {@link NativeStore#takeEvents}; null: none. */
  public synchronized String[] takeEvents(boolean end, boolean withSource) {
    return storeClosed
        ? null
        : NativeStore.takeEvents(store, System.currentTimeMillis(), end, withSource);
  }

  /** See {@link NativeStore#metrics}; null after {@link #close}. */
  public synchronized long[] metrics() {
    return storeClosed ? null : NativeStore.metrics(store);
  }

  public synchronized boolean isClosed() {
    return storeClosed;
  }

  /**
   * The report as of now; see {@link NativeReport#make}.
   *
   * @return a handle for {@link NativeReport#free}, good even after {@link #close}; 0 after it
   */
  public synchronized long report(boolean unfinished, boolean withSource) {
    if (storeClosed) {
      return 0;
    }
    if (!unfinished) {
      NativeFeed.tellDropped(feed);
    }
    NativePages.forgetStale(pages); // every checkpoint calls this
    return NativeReport.make(store, unfinished, withSource);
  }

  /**
   * What the Memory tab answers; see {@link NativePages#answer}. One at a time.
   *
   * @return a handle for {@link NativePages#free}, good even after {@link #close}; 0 after it
   */
  @Override
  public synchronized long answer(String path, String query) {
    if (storeClosed) {
      return 0;
    }
    if (pages == 0) {
      pages = NativePages.open(store);
    }
    return NativePages.answer(pages, path, query);
  }

  @Override
  public String whyNone() {
    return "The profile is closed: the application is ending. Its report is a file.";
  }

  /** Takes nothing more, ends the thread and frees the store. */
  public void close() {
    NativeFeed.close(feed);
    synchronized (this) {
      if (!storeClosed) {
        storeClosed = true;
        NativePages.close(pages);
        NativeStore.close(store);
      }
    }
  }
}
