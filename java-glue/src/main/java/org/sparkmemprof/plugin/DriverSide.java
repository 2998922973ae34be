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
import org.sparkmemprof.plugin.LastSteps.Step;
import org.sparkmemprof.report.Checkpoints;
import org.sparkmemprof.report.DriverReports;
import org.sparkmemprof.report.EventLog;
import org.sparkmemprof.report.ReportPlace;
import org.sparkmemprof.report.ReportWriter;
import org.sparkmemprof.report.Settling.Lack;
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
  private static final long END_MILLIS = 100;
  private static final long FINAL_REPORT_MILLIS = 30_000;
  private static final String PLACE = "the place of the report";

  private final DriverNotices notices = new DriverNotices();

  // Set by the thread that starts the SparkContext, read by the one that ends it.
  private volatile Settings settings;
  private volatile SparkContext spark;
  private volatile StoreFeeder feeder;
  private volatile DriverListener listener;
  private ExecutorMessages messages; // null: executors are inert
  private volatile LastSteps lastSteps = new LastSteps(notices); // none: nothing has begun
  private volatile EndOfJvm endOfJvm;
  private volatile EventLog eventLog;
  private volatile ReportPlace place;
  private volatile DriverReports reports;
  private volatile DriverSources sources;
  private volatile AskedByPython asked;
  private volatile FailureNotes failures;

  /** Null: the driver isn't profiled, or is the executor itself. */
  private volatile DriverProfile profile;

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
    place = new ReportPlace(settings.showsDriversPython, settings.patience);
    feeder = new StoreFeeder(settings.storeLimitBytes, settings.patience, notices);
    lastSteps = lastSteps();
    notices.attach(feeder::notAvailable);
    String[] configuration = ClusterGrant.added(sc, Redaction.entries(sc.conf()));
    feeder.event(feed -> NativeFeed.configuration(feed, configuration));
    accumulator = new ProfileAccumulator(feeder::ingest);
    accumulator.register(sc, Option.empty(), true);
    listener = new DriverListener(feeder, notices, accumulator.id(), sc.conf(), sc.version());
    sc.addSparkListener(listener);
    messages = new ExecutorMessages(feeder::ingest, listener::isKnown, notices);
    endOfJvm = EndOfJvm.watch(feeder, lastSteps, sc::isStopped, settings.patience);
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
      Checkpoints files = new Checkpoints(writer, notices);
      if (place.isWanted()) {
        FileWork.within(PLACE, place::begin, settings.patience, notices);
        files.ask();
      }
      reports =
          new DriverReports(feeder, files, settings.reportDirectory != null, Log.LOG, notices);
      sources = new DriverSources(feeder, settings, conf);
      listener.onCallSite(new ProgramScripts(sources).start());
      failures = new FailureNotes(listener.failedJobs(), feeder, writer, files, settings.patience);
      asked =
          new AskedByPython(sources, new RunningReport(spark, feeder, settings.patience), failures);
      asked.start();
      if (settings.eventLogEnabled) {
        eventLog =
            new EventLog(spark, feeder, settings.sourceEverywhere, settings.patience, notices);
        reports.everySecond(eventLog::write);
      }
      if (DriverProfile.isWanted(settings, conf)) {
        profile = DriverProfile.start(applicationId, spark, settings, feeder, notices);
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
        MemoryTab.attach(ui.get(), feeder, settings.patience, notices);
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
    lastSteps.take();
  }

  private LastSteps lastSteps() {
    return new LastSteps(
        notices,
        new Step("the driver's sources", this::askedNoMore),
        new Step("the end of the driver's profile", this::endOfProfile),
        new Step("the last news of executors", this::lastNews),
        new Step("the profile in the event log", this::endOfEventLog),
        new Step("the report", this::finalReport),
        new Step(PLACE, () -> FileWork.within(PLACE, place::end, settings.patience, notices)),
        new Step("notes on later exceptions", this::lastNotes),
        new Step("the profile store", feeder::close),
        new Step("the end of the JVM", this::endUnwatched));
  }

  private void askedNoMore() {
    AskedByPython.stop(asked);
    if (sources != null) {
      sources.close();
    }
  }

  private void lastNotes() throws InterruptedException {
    if (failures != null) {
      failures.close();
    }
  }

  /** Last: a JVM that begins to end meanwhile waits for the steps. */
  private void endUnwatched() {
    if (endOfJvm != null) {
      endOfJvm.close();
    }
  }

  private void endOfProfile() {
    if (profile != null) {
      profile.close();
    }
  }

  private void lastNews() throws InterruptedException {
    if (reports == null) {
      return; // there is nothing that they could be written into
    }
    try {
      waitForLateNews();
    } finally {
      // What ended Spark's stop in the midst may have ended its listeners.
      if (!listener.hasEnded()) {
        long time = System.currentTimeMillis();
        feeder.event(feed -> NativeFeed.applicationEnded(feed, time));
        feeder.settle(END_MILLIS * settings.patience, () -> Lack.NOTHING);
      }
      notices.tellUntold(feeder::notAvailableAtOnce);
    }
  }

  private void endOfEventLog() {
    if (eventLog != null) {
      eventLog.finish();
    }
  }

  private void finalReport() throws Exception {
    if (reports != null) {
      reports.finish(FINAL_REPORT_MILLIS * settings.patience);
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
    feeder.settle(most - millisSince(begin), () -> lackOfNews(millisSince(begin)));
  }

  private Lack lackOfNews(long waitedMillis) {
    if (messages.areOver()) {
      return Lack.NOTHING;
    }
    boolean enough = waitedMillis >= LAST_SNAPSHOTS_MILLIS * settings.patience;
    return enough ? Lack.NAMES : Lack.MESSAGES;
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
