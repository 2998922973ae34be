package org.sparkmemprof.report;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.sparkmemprof.jni.NativePages;
import org.sparkmemprof.jni.NativeReport;
import org.sparkmemprof.jni.NativeStore;
import org.sparkmemprof.notices.FullHeap;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.OurThreads;
import org.sparkmemprof.ui.Answers;

/**
 * Owns the native profile store and the one thread that feeds it. Spark calls us on its DAG
 * scheduler, its listener bus and its RPC threads: they only enqueue here, and never wait.
 *
 * <p>What doesn't fit into the queue is dropped and counted, and the report says so. All methods
 * are thread-safe.
 */
public final class StoreFeeder implements Answers {
  private final long store;
  private final Notices notices;
  private final StoreQueue queue = new StoreQueue();
  private final Thread thread;
  private volatile boolean closing;
  private long pages; // guarded by this; 0: not requested yet
  private boolean storeClosed; // guarded by this

  /**
   * @throws UnsatisfiedLinkError when the library isn't there
   */
  public StoreFeeder(long limitBytes, Notices notices) {
    this.notices = notices;
    store = NativeStore.open(limitBytes);
    thread = OurThreads.daemon("store").newThread(this::run);
    thread.start();
  }

  /** A message of an executor, in any order and any number of times. */
  public void ingest(byte[] envelope) {
    if (closing) {
      return;
    }
    queue.addMessage(
        envelope.length,
        handle -> {
          String refused = NativeStore.ingest(handle, envelope);
          if (refused != null) {
            notices.report("part of the profile", "a message was refused: " + refused);
          }
        });
  }

  /** An event of the driver; {@code action} is given the store's handle on our thread. */
  public void event(LongConsumer action) {
    if (!closing) {
      queue.addEvent(action);
    }
  }

  /** A line of the report's {@code notAvailable}. */
  public void notAvailable(String what, String why) {
    event(store -> NativeStore.notAvailable(store, what, why));
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

  /** True when everything passed in so far has reached the store. */
  public boolean idle() {
    return queue.isEmpty();
  }

  /** True while sites of the report still wait for their native names. */
  public synchronized boolean awaitsSymbols() {
    return !storeClosed && NativeStore.awaitsSymbols(store);
  }

  /** The deaths to report now, as text; each is returned once. */
  public synchronized List<String> takePostMortems(boolean all) {
    byte[][] texts =
        storeClosed ? null : NativeStore.takePostMortems(store, System.currentTimeMillis(), all);
    List<String> deaths = new ArrayList<>();
    for (int i = 0; texts != null && i < texts.length; i++) {
      deaths.add(new String(texts[i], StandardCharsets.UTF_8));
    }
    return deaths;
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
      tellDropped("messages of executors", queue.droppedMessages());
      tellDropped("events of Spark", queue.droppedEvents());
    }
    NativePages.forgetStale(pages); // every checkpoint calls this
    return NativeReport.make(store, unfinished, withSource);
  }

  private void tellDropped(String what, long dropped) {
    if (dropped > 0) {
      NativeStore.notAvailable(
          store, what, dropped + " were dropped, the driver's queue for them was full");
    }
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
    closing = true;
    thread.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(1));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      // A thread that hangs in the store keeps it alive: a leak is better than a crash.
      if (!storeClosed && !thread.isAlive()) {
        storeClosed = true;
        NativePages.close(pages);
        NativeStore.close(store);
      }
    }
  }

  private void run() {
    FullHeap.prepare(OutOfMemoryError.class, InterruptedException.class, Throwable.class);
    while (!closing) {
      try {
        StoreQueue.Entry entry = queue.take();
        try {
          feed(entry.action);
        } finally {
          entry.done(); // only now: idle() means done
        }
      } catch (InterruptedException ending) {
        return;
      } catch (OutOfMemoryError full) {
        FullHeap.awaitRoom();
      }
    }
  }

  /** The store accepts repeated messages, so a message that had no room is tried again. */
  private void feed(LongConsumer action) {
    while (!closing) {
      try {
        action.accept(store);
        return;
      } catch (OutOfMemoryError full) {
        FullHeap.awaitRoom();
      } catch (Throwable e) {
        notices.failed("the profile store", e);
        return;
      }
    }
  }
}
