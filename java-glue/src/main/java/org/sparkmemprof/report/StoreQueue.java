package org.sparkmemprof.report;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * What waits for the store, in the order in which it came. It is in the driver's heap, so it is
 * bounded by the number of entries and by their bytes. Messages and events have a bound each: a
 * flood of messages drops messages, and no event. Nobody waits who adds. Thread-safe.
 */
final class StoreQueue {
  static final long MOST_BYTES = 32L << 20; // of the messages, and again of the events
  static final long ENTRY_BYTES = 256; // a lambda, its strings, the queue's node

  private final LinkedBlockingQueue<Entry> entries = new LinkedBlockingQueue<>();
  private final Share messages = new Share();
  private final Share events = new Share();

  /** A message of an executor, which {@code action} brings into the store. */
  void addMessage(long payloadBytes, LongConsumer action) {
    add(messages, payloadBytes + ENTRY_BYTES, action);
  }

  /** An event of the driver. */
  void addEvent(LongConsumer action) {
    add(events, ENTRY_BYTES, action);
  }

  private void add(Share share, long bytes, LongConsumer action) {
    if (share.bytes.addAndGet(bytes) > MOST_BYTES) {
      share.bytes.addAndGet(-bytes);
      share.dropped.incrementAndGet();
      return;
    }
    boolean added = false;
    try {
      entries.add(new Entry(share, bytes, action));
      added = true;
    } finally {
      if (!added) { // the heap is full
        share.bytes.addAndGet(-bytes);
        share.dropped.incrementAndGet();
      }
    }
  }

  /** Waits for the oldest entry. It counts as queued until {@link Entry#done}. */
  Entry take() throws InterruptedException {
    return entries.take();
  }

  /** True when everything added before the call is done. */
  boolean isEmpty() {
    return messages.bytes.get() == 0 && events.bytes.get() == 0;
  }

  long droppedMessages() {
    return messages.dropped.get();
  }

  long droppedEvents() {
    return events.dropped.get();
  }

  private static final class Share {
    final AtomicLong bytes = new AtomicLong(); // queued
    final AtomicLong dropped = new AtomicLong(); // entries
  }

  static final class Entry {
    final LongConsumer action;
    private final Share share;
    private final long bytes;

    private Entry(Share share, long bytes, LongConsumer action) {
      this.share = share;
      this.bytes = bytes;
      this.action = action;
    }

    void done() {
      share.bytes.addAndGet(-bytes);
    }
  }
}
