package org.sparkmemprof.history;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.sparkmemprof.notices.OurThreads;

/**
 * The reports that a History Server holds in native memory: the few that were requested last, each
 * for a while. The server serves any number of applications, and there is no signal when one is no
 * longer needed.
 */
final class OpenReports {
  private static final int MOST = 4;
  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long LOOK_SECONDS = 60;

  private static final Set<HistoryReport> OPEN = new LinkedHashSet<>(); // newest last
  private static ScheduledExecutorService looking;

  private OpenReports() {}

  /** {@code report} is requested now. */
  static void use(HistoryReport report) {
    List<HistoryReport> gone = new ArrayList<>();
    synchronized (OpenReports.class) {
      if (looking == null) {
        looking = Executors.newSingleThreadScheduledExecutor(OurThreads.daemon("history"));
        looking.scheduleWithFixedDelay(
            OpenReports::releaseIdle, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
      }
      OPEN.remove(report);
      OPEN.add(report);
      Iterator<HistoryReport> oldest = OPEN.iterator();
      while (OPEN.size() > MOST) {
        gone.add(oldest.next());
        oldest.remove();
      }
    }
    gone.forEach(HistoryReport::release);
  }

  private static synchronized void releaseIdle() {
    for (Iterator<HistoryReport> reports = OPEN.iterator(); reports.hasNext(); ) {
      HistoryReport report = reports.next();
      if (report.idleNanos() >= IDLE_NANOS) {
        reports.remove();
        report.release();
      }
    }
  }
}
