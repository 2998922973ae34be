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

  /**
   * Runs work that may hang, such as on a file system, on a thread of its own.
   *
   * @param mostMillis how long to wait for its end
   * @return false when it still runs, or the wait was interrupted
   */
  public static boolean runWithin(long mostMillis, String name, Runnable work) {
    Thread thread = named(name).newThread(work);
    thread.start();
    try {
      thread.join(mostMillis);
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
