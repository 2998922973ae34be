package org.sparkmemprof.notices;

import java.util.concurrent.ThreadFactory;

/**
 * Our threads have a name that says they are ours. What they throw ends only themselves: Spark's
 * handler, the default in an executor, would end the JVM.
 */
public final class OurThreads {
  private static final long PIECE_MILLIS = 100;

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
   * @param mostMillis how long to wait for its end, also when this thread is interrupted
   * @return false when it still runs
   */
  public static boolean runWithin(long mostMillis, String name, Runnable work) {
    Thread thread = daemon(name).newThread(work);
    thread.start();
    boolean interrupted = false;
    // In pieces: while the whole process is paused clocks go on.
    for (long left = mostMillis; left > 0 && thread.isAlive(); ) {
      try {
        thread.join(Math.min(left, PIECE_MILLIS));
        left -= PIECE_MILLIS;
      } catch (InterruptedException later) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
