package org.sparkmemprof.plugin;

import java.util.concurrent.TimeUnit;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.OurThreads;

/** Work on files that nobody may wait for without end: a file system may hang. */
final class FileWork {
  static final String REMOVAL = "the removal of files";

  private static final long MOST_SECONDS = 2;

  private FileWork() {}

  /**
   * Waits for the work for two seconds at most. Never throws.
   *
   * @param what is off if it fails, or if the file system does not answer
   * @param patience by what the two seconds are multiplied
   */
  static void within(String what, Runnable work, int patience, Notices notices) {
    try {
      long most = TimeUnit.SECONDS.toMillis(MOST_SECONDS * patience);
      if (!OurThreads.runWithin(most, "files", work)) {
        notices.report(what, "the file system did not answer in " + most + " ms");
      }
    } catch (Throwable e) {
      notices.failed(what, e);
    }
  }
}
