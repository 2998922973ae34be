package org.sparkmemprof.notices;

import java.util.concurrent.ThreadFactory;

/**
 * Our threads: daemons, so that they never keep a JVM alive, with a name that says they are ours.
 */
public final class DaemonThreads {
  private DaemonThreads() {}

  public static ThreadFactory named(String name) {
    return runnable -> {
      Thread thread = new Thread(runnable, "sparkmemprof-" + name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
