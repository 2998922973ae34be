package org.sparkmemprof.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.sparkmemprof.files.ReportFiles;
import org.sparkmemprof.notices.FullHeap;
import org.sparkmemprof.notices.Notices;

/** Writes {@code report.json} and {@code report.html}: checkpoints, and the last one. */
public final class ReportWriter {
  /** Opens the directory late, on our thread, because a remote file system may be slow. */
  public interface Opener {
    ReportFiles open() throws IOException;
  }

  private final Report.Source reports;
  private final Opener opener;
  private final ReportPlace place;
  private final boolean sourceEverywhere;
  private final Notices notices;
  private ReportFiles files; // guarded by this
  private boolean finished; // guarded by this
  private volatile String location;

  /**
   * @param sourceEverywhere the text of source lines goes to shared file systems, too
   */
  public ReportWriter(
      StoreFeeder feeder,
      Opener opener,
      ReportPlace place,
      boolean sourceEverywhere,
      Notices notices) {
    this(StoreReport.source(feeder), opener, place, sourceEverywhere, notices);
  }

  ReportWriter(
      Report.Source reports,
      Opener opener,
      ReportPlace place,
      boolean sourceEverywhere,
      Notices notices) {
    this.reports = reports;
    this.opener = opener;
    this.place = place;
    this.sourceEverywhere = sourceEverywhere;
    this.notices = notices;
  }

  /** Where the report is; null before the first one. Does not wait. */
  public String location() {
    return location;
  }

  /** Makes the directory, so that even a JVM that dies leaves its report there. Never throws. */
  public synchronized void prepare() {
    try {
      if (!finished && !reports.isClosed()) {
        reports.goTo(null, sourceEverywhere);
        open();
      }
    } catch (Throwable e) {
      tell(e);
    }
  }

  /**
   * Writes the report of a running application, marked unfinished; never throws.
   *
   * @param withPage report.html, too
   */
  public synchronized void checkpoint(boolean withPage) {
    if (finished) {
      return;
    }
    try (Report report = open(true)) {
      if (report != null) {
        write(report, withPage);
      }
    } catch (Throwable e) {
      tell(e);
    }
  }

  /**
   * Writes the final report; later checkpoints do nothing. Never throws.
   *
   * @return its summary for the driver's log, also when it can't be written; null when there is no
   *     report
   */
  public synchronized Summary finish() {
    finished = true;
    try {
      return FullHeap.patiently(this::writeLast);
    } catch (Throwable e) {
      tell(e);
      return unwritten(e.toString());
    }
  }

  private synchronized Summary writeLast() throws IOException {
    try (Report report = open(false)) {
      if (report == null) {
        return null;
      }
      write(report, true);
      reports.isThere();
      return summaryOf(report, location, null);
    }
  }

  /**
   * The final report's summary without its files; needs no directory. Never throws, and doesn't
   * wait for a write that hangs.
   *
   * @param why it isn't written
   * @return null when there is no report
   */
  public Summary unwritten(String why) {
    try (Report report = reports.make(false, sourceEverywhere)) {
      return report == null ? null : summaryOf(report, null, why);
    } catch (Throwable e) {
      notices.failed("the report's summary", e);
      return null;
    }
  }

  /** Opens the directory if it isn't open, and makes the report; null when there is none. */
  private Report open(boolean unfinished) throws IOException {
    return open() ? reports.make(unfinished, withSource(files)) : null;
  }

  /** False once there is nothing left to write. */
  private boolean open() throws IOException {
    if (reports.isClosed()) {
      return false;
    }
    if (files == null) {
      ReportFiles opened = opener.open();
      reports.goTo(opened.onThisMachine() ? opened.location() : null, withSource(opened));
      files = opened;
    }
    return true;
  }

  private boolean withSource(ReportFiles to) {
    return sourceEverywhere || to.isPrivate();
  }

  private void write(Report report, boolean withPage) throws IOException {
    files.replace("report.json", to -> report.json(to, withPage));
    location = files.location();
    place.tell(location);
    if (!withPage) {
      return;
    }
    try {
      files.replace("report.html", report::html);
    } catch (OutOfMemoryError e) {
      notices.failed("report.html", e); // the JSON is there
    }
  }

  private void tell(Throwable e) {
    try {
      String hint = e instanceof IOException ? " (choose a place by spark.memprof.report.dir)" : "";
      notices.report("the report", "it can't be written: " + e + hint);
    } catch (OutOfMemoryError full) {
      // The heap has no room even for this.
    }
  }

  private static Summary summaryOf(Report report, String place, String error) {
    byte[] text = report.summary();
    // The logger ends the last line itself.
    String lines =
        text == null ? "" : new String(text, StandardCharsets.UTF_8).replaceFirst("\n$", "");
    return new Summary(place, error, lines, report.headline(), report.callsForAction());
  }

  /** Where the final report is, and its first lines. */
  public static final class Summary {
    public final String location; // null: it isn't written
    public final String error; // why; null: it is written
    public final String text;
    public final String headline; // of the worst post-mortem; null: there is none
    public final boolean callsForAction; // a person should do something

    Summary(String location, String error, String text, String headline, boolean callsForAction) {
      this.location = location;
      this.error = error;
      this.text = text;
      this.headline = headline;
      this.callsForAction = callsForAction;
    }
  }
}
