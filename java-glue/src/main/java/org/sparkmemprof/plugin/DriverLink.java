package org.sparkmemprof.plugin;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.plugin.PluginContext;
import org.sparkmemprof.jni.NativeAgent;

/** The one thread that takes the agent's messages and sends them to the driver. */
final class DriverLink {
  private static final long TAKE_MILLIS = 500;
  private static final long DRAIN_SECONDS = 2;

  private final PluginContext context;
  private final String executorId;
  private final Notices notices;
  private final Thread thread;
  private volatile boolean stopping;

  DriverLink(PluginContext context, String executorId, Notices notices) {
    this.context = context;
    this.executorId = executorId;
    this.notices = notices;
    thread = DaemonThreads.named("send").newThread(this::run);
    thread.start();
  }

  private void run() {
    try {
      context.send(Messages.started(executorId));
      while (true) {
        boolean last = stopping;
        byte[] message = NativeAgent.takeMessage(last ? 0 : TAKE_MILLIS);
        if (message != null) {
          context.send(message);
        } else if (last) {
          context.send(Messages.stopped(executorId));
          return;
        }
      }
    } catch (IOException driverGone) {
      // Nobody is left to tell.
    } catch (Throwable e) {
      notices.report("news between tasks", String.valueOf(e));
    }
  }

  /** Call after {@link NativeAgent#stop}: sends what is left, for at most two seconds. */
  void close() throws InterruptedException {
    stopping = true;
    thread.join(TimeUnit.SECONDS.toMillis(DRAIN_SECONDS));
  }
}
