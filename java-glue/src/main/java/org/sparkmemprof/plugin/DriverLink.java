package org.sparkmemprof.plugin;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.sparkmemprof.jni.NativeAgent;
import org.sparkmemprof.notices.FullHeap;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.OurThreads;

/**
 * The one thread that takes the agent's messages and sends them to the driver. A message that can't
 * be sent is dropped and counted, and after a pause the next one has its turn. Only the end of the
 * plugin ends the thread. It throws nothing: Spark would end the executor.
 */
final class DriverLink {
  static final int MOST_TRIES = 20; // of a message that the heap has no room for

  private static final long TAKE_MILLIS = 500;
  private static final long DRAIN_SECONDS = 2;
  private static final int MOST_LAST_FAILURES = 3; // in a row, when the plugin ends
  private static final long PAUSE_MILLIS = 100;
  private static final long MOST_PAUSE_MILLIS = 5_000;
  private static final int RESERVE_BYTES = 128 << 10; // no large object of any collector

  /** Where messages come from, as {@link NativeAgent#takeMessage}. */
  interface Agent {
    byte[] take(long timeoutMillis);
  }

  /** Where they go, as Spark's {@code PluginContext}. */
  interface Driver {
    void send(Object message) throws IOException;
  }

  private final Agent agent;
  private final Driver driver;
  private final Notices notices;
  private final LongConsumer parkNanos;
  private final long drainMillis;
  private final String executorId;
  private final String[] started;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile boolean abandoned;

  /** Freed when the heap is full, so that there is room to send a message about it. */
  private volatile byte[] reserve = new byte[RESERVE_BYTES];

  private long dropped; // of the thread, as the next three
  private int failures; // messages dropped in a row
  private boolean told;
  private boolean ending; // the thread has seen that the plugin ends

  DriverLink(Driver driver, String executorId, int patience, Notices notices) {
    this(NativeAgent::takeMessage, driver, executorId, patience, notices, LockSupport::parkNanos);
  }

  /**
   * @param parkNanos how the thread pauses; {@link LockSupport#unpark} ends the pause
   */
  DriverLink(
      Agent agent,
      Driver driver,
      String executorId,
      int patience,
      Notices notices,
      LongConsumer parkNanos) {
    this.agent = agent;
    this.driver = driver;
    this.notices = notices;
    this.parkNanos = parkNanos;
    drainMillis = TimeUnit.SECONDS.toMillis(DRAIN_SECONDS * patience);
    this.executorId = executorId;
    started = Messages.started(executorId);
    thread = OurThreads.daemon("send").newThread(this::run);
    thread.start();
  }

  private void run() {
    FullHeap.prepare(OutOfMemoryError.class, IOException.class, Throwable.class);
    send(started);
    while (!isOver()) {
      boolean last = stopping;
      byte[] message = take(last);
      if (message != null) {
        send(message);
      } else if (last) {
        break;
      }
    }
    try {
      send(Messages.stopped(executorId, dropped));
    } catch (OutOfMemoryError full) {
      // The driver waits for it a second in vain.
    }
  }

  /** True when the plugin's end has no more time, or nobody is left to tell. */
  private boolean isOver() {
    if (stopping && !ending) {
      ending = true;
      failures = 0; // the driver may be back
    }
    return abandoned || (stopping && failures >= MOST_LAST_FAILURES);
  }

  /** The message waits on the native side while the heap has no room for it. */
  private byte[] take(boolean last) {
    while (!abandoned) {
      try {
        return agent.take(last ? 0 : TAKE_MILLIS);
      } catch (OutOfMemoryError full) {
        reserve = null;
      } catch (Throwable e) {
        tell(e);
      }
      pause(PAUSE_MILLIS);
    }
    return null;
  }

  /** Returns when the message was sent, or dropped and a pause is over. */
  private void send(Object message) {
    for (int tries = 1; !abandoned; tries++) {
      try {
        driver.send(message);
        failures = 0;
        return;
      } catch (OutOfMemoryError full) { // which the message may be about
        reserve = null;
        if (tries == MOST_TRIES) {
          drop(full);
          return;
        }
        pause(PAUSE_MILLIS);
      } catch (Throwable e) {
        drop(e);
        return;
      }
    }
  }

  private void drop(Throwable why) {
    dropped++;
    failures++;
    if (!(stopping && why instanceof IOException)) { // else the driver has ended first
      tell(why);
    }
    pause(Math.min(PAUSE_MILLIS << Math.min(failures - 1, 10), MOST_PAUSE_MILLIS));
  }

  private void tell(Throwable why) {
    try {
      if (!told) {
        notices.report("part of the news between tasks", "a message was not sent: " + why);
        told = true;
      }
    } catch (Throwable full) {
      // The next failure is told, if there is room by then.
    }
  }

  /** Shorter once the plugin ends. Allocates nothing. */
  private void pause(long millis) {
    Thread.interrupted(); // who is interrupted doesn't pause
    parkNanos.accept(TimeUnit.MILLISECONDS.toNanos(stopping ? PAUSE_MILLIS : millis));
  }

  /**
   * Call after {@link NativeAgent#stop}: the thread sends what is left, and ends. An agent that has
   * stopped answers at once that it has nothing, again and again. Doesn't wait.
   */
  void finish() {
    stopping = true;
    LockSupport.unpark(thread);
  }

  /** As {@link #finish}, and waits for its end, for at most two seconds × patience. */
  void close() throws InterruptedException {
    finish();
    try {
      thread.join(drainMillis);
    } finally {
      abandoned = true;
    }
  }
}
