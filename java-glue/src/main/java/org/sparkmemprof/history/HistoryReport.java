package org.sparkmemprof.history;

import java.util.Date;
import java.util.Iterator;
import org.apache.spark.status.api.v1.ApplicationAttemptInfo;
import org.apache.spark.status.api.v1.ApplicationInfo;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.util.kvstore.KVStore;
import org.apache.spark.util.kvstore.KVStoreIterator;
import org.sparkmemprof.files.PrivateDirectories;
import org.sparkmemprof.jni.NativeHistory;
import org.sparkmemprof.jni.NativeLibrary;
import org.sparkmemprof.listener.ScalaViews;
import org.sparkmemprof.ui.Answers;

/**
 * The report of one application in the History Server. It is made in native memory when somebody
 * opens it, from the parts in Spark's store. It is freed when other reports were opened since, or
 * after a while without requests (see {@link OpenReports}); later it is made again. Thread-safe.
 */
final class HistoryReport implements Answers {
  private final SparkUI ui;
  private final KVStore store;
  private long history; // guarded by this; 0: not made
  private volatile long lastAskedNanos;

  HistoryReport(SparkUI ui, KVStore store) {
    this.ui = ui;
    this.store = store;
  }

  @Override
  public long answer(String path, String query) throws Exception {
    if (problem() != null) {
      return 0;
    }
    lastAskedNanos = System.nanoTime();
    OpenReports.use(this);
    synchronized (this) {
      if (history == 0) {
        history = make();
      }
      return NativeHistory.answer(history, path, query);
    }
  }

  @Override
  public String whyNone() {
    String problem = problem();
    return "The Memory tab can't be shown: "
        + (problem == null ? "there is no memory left for it" : problem)
        + ". On another machine: sparkmemprof report EVENTLOG";
  }

  /** Why the native library isn't there, or null. It is tried once. */
  private static String problem() {
    return NativeLibrary.load(PrivateDirectories.forCode(false));
  }

  synchronized void release() {
    NativeHistory.close(history);
    history = 0;
  }

  long idleNanos() {
    return System.nanoTime() - lastAskedNanos;
  }

  private long make() throws Exception {
    long made = NativeHistory.open();
    try {
      putApplication(made);
      try (KVStoreIterator<StoredPart> parts = store.view(StoredPart.class).closeableIterator()) {
        while (parts.hasNext()) {
          StoredPart part = parts.next();
          if (part.isLeftOut()) {
            NativeHistory.full(made);
          } else if (part.isRefused()) {
            NativeHistory.refused(made);
          } else {
            NativeHistory.add(made, part.part, part.id, part.schemaVersion, part.report);
          }
        }
      }
      return made;
    } catch (Throwable e) {
      NativeHistory.close(made);
      throw e;
    }
  }

  /**
   * For a log that begins in the middle Spark lacks these facts; the report then lacks them too.
   */
  private void putApplication(long made) {
    try {
      ApplicationInfo application = ui.store().applicationInfo();
      Iterator<?> attempts = ScalaViews.asJava(application, "attempts");
      ApplicationAttemptInfo attempt =
          attempts.hasNext() ? (ApplicationAttemptInfo) attempts.next() : null;
      NativeHistory.application(
          made,
          application.id(),
          application.name(),
          attempt == null ? "" : attempt.appSparkVersion(),
          attempt == null ? -1 : millis(attempt.startTime()),
          attempt == null || !attempt.completed() ? -1 : millis(attempt.endTime()));
    } catch (Throwable unknown) {
      HistoryPlugin.tell("what Spark knows of an application", String.valueOf(unknown));
    }
  }

  private static long millis(Date date) {
    return date == null ? -1 : date.getTime();
  }
}
