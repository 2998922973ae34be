package org.sparkmemprof.plugin;

import java.util.concurrent.TimeUnit;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.OurThreads;

/** Removes files at the end. A file system that hangs must not keep a JVM from ending. */
final class Removal {
  private static final long MOST_SECONDS = 2;

  private Removal() {}

  /**
   * Never throws. Waits for the work for two seconds at most.
   *
   * @param patience by what that is multiplied
   * @param notices is told of a failure, or that the file system did not answer
   */
  static void run(Runnable work, int patience, Notices notices) {
    try {
      long most = TimeUnit.SECONDS.toMillis(MOST_SECONDS * patience);
      if (!OurThreads.runWithin(most, "files", work)) {
        notices.report("the removal of files", "the file system did not answer in " + most + " ms");
      }
    } catch (Throwable e) {
      notices.failed("the removal of files", e);
    }
  }
}
