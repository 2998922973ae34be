package org.sparkmemprof.notices;

import java.util.concurrent.ThreadFactory;

/**
 * Our threads have a name that says they are ours. What they throw ends only themselves: Spark's
 * handler, the default in an executor, would end the JVM.
 */
public final class OurThreads {
  private OurThreads() {}

  /** They never keep a JVM alive. */
  public static ThreadFactory daemon(String name) {
    return runnable -> {
      Thread thread = of(name, runnable);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** For {@link Runtime#addShutdownHook}. */
  public static Thread hook(String name, Runnable work) {
    return of(name, work);
  }

  private static Thread of(String name, Runnable work) {
    Thread thread = new Thread(work, "sparkmemprof-" + name);
    thread.setUncaughtExceptionHandler(OurThreads::died);
    return thread;
  }

  private static void died(Thread thread, Throwable why) {
    try {
      Log.LOG.warn("sparkmemprof: thread {} has ended: {}", thread.getName(), String.valueOf(why));
    } catch (Throwable full) {
      // The heap has no room even for this.
    }
  }

  /**
   * Runs work that may hang, such as on a file system, on a thread of its own.
   *
   * @param mostMillis how long to wait for its end
   * @return false when it still runs, or the wait was interrupted
   */
  public static boolean runWithin(long mostMillis, String name, Runnable work) {
    Thread thread = daemon(name).newThread(work);
    thread.start();
    try {
      thread.join(mostMillis);
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
