package org.sparkmemprof.plugin;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.plugin.PluginContext;
import org.sparkmemprof.jni.NativeAgent;
import org.sparkmemprof.notices.DaemonThreads;
import org.sparkmemprof.notices.Notices;

/** The one thread that takes the agent's messages and sends them to the driver. */
final class DriverLink {
  private static final long TAKE_MILLIS = 500;
  private static final long DRAIN_SECONDS = 2;
  private static final int MOST_TRIES = 20;
  private static final long TRY_AGAIN_MILLIS = 100;
  private static final int RESERVE_BYTES = 128 << 10; // no large object of any collector

  private final PluginContext context;
  private final String executorId;
  private final Notices notices;
  private final long drainMillis;
  private final Thread thread;
  private volatile boolean stopping;

  /** Freed when the heap is full, so that there is room to send a message about it. */
  private volatile byte[] reserve = new byte[RESERVE_BYTES];

  DriverLink(PluginContext context, String executorId, int patience, Notices notices) {
    drainMillis = TimeUnit.SECONDS.toMillis(DRAIN_SECONDS * patience);
    this.context = context;
    this.executorId = executorId;
    this.notices = notices;
    thread = DaemonThreads.named("send").newThread(this::run);
    thread.start();
  }

  private void run() {
    try {
      context.send(Messages.started(executorId));
      byte[] message = null; // taken and not sent yet
      for (int full = 0; ; ) {
        boolean last = stopping;
        try {
          if (message == null) {
            message = NativeAgent.takeMessage(last ? 0 : TAKE_MILLIS);
          }
          if (message != null) {
            context.send(message);
            message = null;
          } else if (last) {
            context.send(Messages.stopped(executorId));
            return;
          }
          full = 0;
        } catch (OutOfMemoryError heapIsFull) { // of which there may be a message to send
          reserve = null;
          if (++full > MOST_TRIES) {
            throw heapIsFull;
          }
          Thread.sleep(TRY_AGAIN_MILLIS);
        }
      }
    } catch (IOException | InterruptedException driverGone) {
      // Nobody is left to tell.
    } catch (Throwable e) {
      notices.report("news between tasks", String.valueOf(e));
    }
  }

  /**
   * Call after {@link NativeAgent#stop}: sends what is left, for at most two seconds × patience.
   */
  void close() throws InterruptedException {
    stopping = true;
    thread.join(drainMillis);
  }
}
