package org.sparkmemprof.plugin;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.ui.SparkUI;
import org.sparkmemprof.accumulator.AccumulatorTemplate;
import org.sparkmemprof.accumulator.ProfileAccumulator;
import org.sparkmemprof.files.PrivateDirectories;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.jni.NativeLibrary;
import org.sparkmemprof.listener.DriverListener;
import org.sparkmemprof.metrics.MemorySource;
import org.sparkmemprof.notices.Log;
import org.sparkmemprof.report.Checkpoints;
import org.sparkmemprof.report.DriverReports;
import org.sparkmemprof.report.EventLog;
import org.sparkmemprof.report.ReportPlace;
import org.sparkmemprof.report.ReportWriter;
import org.sparkmemprof.report.StoreFeeder;
import org.sparkmemprof.ui.MemoryTab;
import scala.Option;

/**
 * The driver's half: receives what executors send, feeds the native store, writes the report.
 *
 * <p>Without the native library there is no store: the driver says so once, and sends no
 * accumulator to the executors, which then stay inert and silent. Nothing thrown here reaches
 * Spark.
 */
public final class DriverSide implements DriverPlugin {
  static final String ACCUMULATOR = "accumulator";

  private static final long LAST_SNAPSHOTS_MILLIS = 1_000;
  private static final long LATE_NEWS_MILLIS = 5_000;
  private static final long FINAL_REPORT_MILLIS = 30_000;
  private static final long POLL_MILLIS = 20;
  private static final String PLACE = "the place of the report";

  private final DriverNotices notices = new DriverNotices();

  private Settings settings;
  private SparkContext spark;
  private StoreFeeder feeder;
  private DriverListener listener;
  private ExecutorMessages messages; // null: executors are inert
  private EndOfJvm endOfJvm;
  private EventLog eventLog;
  private ReportPlace place;
  private DriverReports reports;
  private DriverSources sources;
  private DriverProfile profile; // null: the driver isn't profiled, or is the executor itself

  /** Spark's registry of accumulators holds weak references only. */
  private ProfileAccumulator accumulator;

  @Override
  public Map<String, String> init(SparkContext sc, PluginContext context) {
    try {
      settings = new Settings(sc.conf());
      if (!settings.enabled) {
        return executorsStayInert();
      }
      boolean local = ExecutorIdentity.isLocal(sc.conf());
      String problem = NativeLibrary.load(PrivateDirectories.forCode(!local));
      if (problem != null) {
        notices.report("profiling", problem);
        return executorsStayInert();
      }
      return start(sc);
    } catch (Throwable e) {
      notices.failed("profiling", e);
      return executorsStayInert();
    }
  }

  /**
   * Set explicitly: a configuration copied from an earlier SparkContext may hold its accumulator.
   */
  private static Map<String, String> executorsStayInert() {
    ReportPlace.tellAbsent();
    return Collections.singletonMap(ACCUMULATOR, "");
  }

  private Map<String, String> start(SparkContext sc) throws Exception {
    spark = sc;
    place = new ReportPlace(settings.showsDriversPython);
    feeder = new StoreFeeder(settings.storeLimitBytes, notices);
    notices.attach(feeder::notAvailable);
    String[] configuration = ClusterGrant.added(sc, Redaction.entries(sc.conf()));
    feeder.event(feed -> NativeFeed.configuration(feed, configuration));
    accumulator = new ProfileAccumulator(feeder::ingest);
    accumulator.register(sc, Option.empty(), true);
    listener = new DriverListener(feeder, notices, accumulator.id(), sc.conf(), sc.version());
    sc.addSparkListener(listener);
    messages = new ExecutorMessages(feeder::ingest, listener::isKnown, notices);
    endOfJvm = EndOfJvm.watch(feeder);
    return Collections.singletonMap(ACCUMULATOR, AccumulatorTemplate.encode(accumulator));
  }

  /** Spark calls this as soon as the application's id is known, metrics or not. */
  @Override
  public void registerMetrics(String applicationId, PluginContext context) {
    if (feeder == null) {
      return;
    }
    try {
      SparkConf conf = spark.conf();
      listener.applicationStarted(applicationId, spark.appName(), spark.startTime());
      String name = ReportDirectory.nameOf(applicationId, spark.applicationAttemptId());
      ReportWriter writer =
          new ReportWriter(
              feeder,
              () ->
                  ReportDirectory.open(settings, conf, name, spark.hadoopConfiguration(), notices),
              place,
              settings.sourceEverywhere,
              notices);
      Checkpoints files = new Checkpoints(writer);
      if (place.isWanted()) {
        FileWork.within(PLACE, place::begin, settings.patience, notices);
        files.ask();
      }
      reports =
          new DriverReports(
              feeder::takePostMortems, files, settings.reportDirectory != null, Log.LOG, notices);
      sources = new DriverSources(feeder, settings, conf);
      listener.onCallSite(new ProgramScripts(sources).start());
      new AskedByPython(
              sources,
              new RunningReport(spark, feeder, settings.patience),
              new FailureNotes(listener.failedJobs(), feeder, writer, files, settings.patience))
          .start();
      if (settings.eventLogEnabled) {
        eventLog = new EventLog(spark, feeder, settings.sourceEverywhere, notices);
        reports.everySecond(eventLog::write);
      }
      if (DriverProfile.isWanted(settings, conf)) {
        profile = DriverProfile.start(applicationId, conf, settings, feeder, notices);
      }
      ExecutorSide.applicationIdKnown(applicationId);
    } catch (Throwable e) {
      notices.failed("the report", e);
    }
    attachMetrics();
    attachTab();
  }

  private void attachMetrics() {
    try {
      spark.env().metricsSystem().registerSource(new MemorySource(feeder::metrics));
    } catch (Throwable e) {
      notices.failed("metrics", e);
    }
  }

  private void attachTab() {
    if (!settings.uiEnabled) {
      return;
    }
    try {
      Option<SparkUI> ui = spark.ui();
      if (ui.isDefined()) {
        MemoryTab.attach(ui.get(), feeder, notices);
      }
    } catch (Throwable e) {
      notices.failed("the Memory tab", e);
    }
  }

  /** Always returns null: Spark 4 warns about each answer to a message that expects none. */
  @Override
  public Object receive(Object message) {
    try {
      if (messages != null) {
        messages.receive(message);
      }
    } catch (Throwable e) {
      notices.failed("part of the profile", e);
    }
    return null;
  }

  @Override
  public void shutdown() {
    if (feeder == null) {
      return;
    }
    boolean interrupted = false;
    if (endOfJvm != null) {
      endOfJvm.close();
    }
    AskedByPython.stop();
    if (sources != null) {
      sources.close();
    }
    if (profile != null) {
      profile.close();
    }
    try {
      waitForLateNews();
      notices.tellUntold(feeder::notAvailableAtOnce);
    } catch (InterruptedException impatient) {
      interrupted = true; // the report is what it is by now
    } catch (Throwable e) {
      notices.failed("the last news of executors", e);
    }
    if (eventLog != null) {
      eventLog.finish();
    }
    try {
      if (reports != null) {
        reports.finish(FINAL_REPORT_MILLIS * settings.patience);
      }
    } catch (Throwable e) {
      notices.failed("the report", e);
    } finally {
      FileWork.within(PLACE, place::end, settings.patience, notices);
      feeder.close();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Executors end after the application does, and their last messages arrive while Spark stops.
   * These are the last snapshot, the only one with a peak of the last second, and names of native
   * functions. Waits until every executor has said that it is done. For an executor that doesn't
   * answer it waits a second, and longer while names are missing.
   */
  private void waitForLateNews() throws InterruptedException {
    long begin = System.nanoTime();
    long most = LATE_NEWS_MILLIS * settings.patience;
    listener.awaitEnd(most);
    for (long waited = 0; waited < most; waited = millisSince(begin)) {
      boolean enough =
          waited >= LAST_SNAPSHOTS_MILLIS * settings.patience && !feeder.awaitsSymbols();
      if (feeder.idle() && (messages.areOver() || enough)) {
        return;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
