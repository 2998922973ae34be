package org.sparkmemprof.listener;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.Success$;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerResourceProfileAdded;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerUnpersistRDD;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.report.StoreFeeder;
import scala.Tuple4;
import scala.collection.Iterator;

/**
 * Passes the driver's events to the store, and the profiles that are not merged: those of killed
 * and failed tasks are in their end reason, interim ones in heartbeats.
 *
 * <p>Runs on Spark's listener bus: every method copies a few fields into the feeder's queue and
 * returns; none throws.
 */
public final class DriverListener extends SparkListener {
  /** Settings that advice names and that a session may change; each job has its own values. */
  private static final String[] RUNTIME_SETTINGS = {
    "spark.sql.execution.arrow.maxRecordsPerBatch",
    SqlDefaults.BYTES_PER_BATCH,
    SqlDefaults.ARROW_FOR_PYSPARK,
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.adaptive.autoBroadcastJoinThreshold",
    "spark.sql.adaptive.enabled"
  };

  private final StoreFeeder feeder;
  private final Notices notices;
  private final long accumulatorId;
  private final SparkConf conf;
  private final String sparkVersion;
  private final Map<Integer, ResourceProfile> profiles = new ConcurrentHashMap<>();
  private final Map<String, Boolean> executors = new ConcurrentHashMap<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final FailedJobs failedJobs = new FailedJobs();
  private final QueryRows queryRows;
  private final SqlDefaults sqlDefaults = new SqlDefaults();
  private volatile boolean started;
  private volatile Consumer<String> callSites = callSite -> {};

  public DriverListener(
      StoreFeeder feeder,
      Notices notices,
      long accumulatorId,
      SparkConf conf,
      String sparkVersion) {
    this.feeder = feeder;
    this.notices = notices;
    this.accumulatorId = accumulatorId;
    this.conf = conf;
    this.sparkVersion = sparkVersion;
    queryRows =
        new QueryRows(
            (query, rows, broadcast) ->
                feeder.event(feed -> NativeFeed.queryRows(feed, query, rows, broadcast)));
  }

  /** The application's last event has come; or its first one has not. */
  public boolean hasEnded() {
    return !started || ended.getCount() == 0;
  }

  /** Waits for the application's last event; not at all when there was no first event. */
  public void awaitEnd(long timeoutMillis) throws InterruptedException {
    if (started) {
      ended.await(timeoutMillis, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * @param told gets where each job was asked for, {@code "collect at /jobs/job.py:30"} or ""; fast
   */
  public void onCallSite(Consumer<String> told) {
    callSites = told;
  }

  public FailedJobs failedJobs() {
    return failedJobs;
  }

  /** False once Spark has reported the executor's removal. */
  public boolean isKnown(String executorId) {
    return executors.containsKey(executorId);
  }

  @Override
  public void onApplicationStart(SparkListenerApplicationStart event) {
    started = true;
    guarded(
        () -> applicationStarted(ScalaViews.orEmpty(event.appId()), event.appName(), event.time()));
  }

  /**
   * Called as soon as the application has an id; Spark's own event repeats it. Without this call, a
   * report that is written before that event would have no name.
   *
   * @param time since 1970, in milliseconds
   */
  public void applicationStarted(String id, String name, long time) {
    String master = conf.get("spark.master", "");
    feeder.event(
        feed -> NativeFeed.applicationStarted(feed, id, name, sparkVersion, "", master, time));
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd event) {
    guarded(
        () -> {
          long time = event.time();
          feeder.event(feed -> NativeFeed.applicationEnded(feed, time));
        });
    ended.countDown();
  }

  @Override
  public void onResourceProfileAdded(SparkListenerResourceProfileAdded event) {
    guarded(() -> profiles.put(event.resourceProfile().id(), event.resourceProfile()));
  }

  @Override
  public void onExecutorAdded(SparkListenerExecutorAdded event) {
    guarded(
        () -> {
          String id = event.executorId();
          String host = event.executorInfo().executorHost();
          int cores = event.executorInfo().totalCores();
          long time = event.time();
          int profile = event.executorInfo().resourceProfileId();
          ExecutorResources resources = ExecutorResources.of(id, conf, profiles.get(profile));
          executors.put(id, true);
          feeder.event(
              feed ->
                  NativeFeed.executorAdded(
                      feed,
                      id,
                      host,
                      cores,
                      resources.heapMib,
                      resources.overheadMib,
                      resources.offHeapMib,
                      resources.pysparkMib,
                      profile,
                      resources.requests,
                      resources.taskCpus,
                      time));
        });
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
    guarded(
        () -> {
          String id = event.executorId();
          String reason = event.reason();
          long time = event.time();
          executors.remove(id);
          feeder.event(feed -> NativeFeed.executorRemoved(feed, id, reason, time));
        });
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted event) {
    guarded(
        () -> {
          StageInfo stage = event.stageInfo();
          int id = stage.stageId();
          int attempt = stage.attemptNumber();
          String name = stage.name();
          String callSite = stage.details();
          int tasks = stage.numTasks();
          long time = ScalaViews.orElse(stage.submissionTime(), System.currentTimeMillis());
          feeder.event(
              feed -> NativeFeed.stageSubmitted(feed, id, attempt, name, callSite, tasks, time));
          tellSettings(id, event.properties());
          CachedBlocks.describe(stage, feeder);
        });
  }

  private void tellSettings(int stage, Properties ranWith) {
    if (ranWith == null) {
      return;
    }
    for (String key : RUNTIME_SETTINGS) {
      String value = ranWith.getProperty(key, SqlDefaults.byOldName(key, ranWith));
      if (value != null) {
        feeder.event(feed -> NativeFeed.stageSetting(feed, stage, key, value));
      }
    }
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted event) {
    guarded(
        () -> {
          StageInfo stage = event.stageInfo();
          int id = stage.stageId();
          int attempt = stage.attemptNumber();
          String failure = ErrorText.withCauses(ScalaViews.orEmpty(stage.failureReason()));
          long time = ScalaViews.orElse(stage.completionTime(), System.currentTimeMillis());
          feeder.event(feed -> NativeFeed.stageCompleted(feed, id, attempt, failure, time));
        });
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    guarded(() -> DriverJobs.query(event, feeder));
    guarded(() -> sqlDefaults.tellAtFirst(event, conf, feeder));
    guarded(() -> queryRows.planned(event));
  }

  @Override
  public void onJobStart(SparkListenerJobStart event) {
    guarded(() -> callSites.accept(DriverJobs.started(event, feeder, failedJobs)));
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd event) {
    guarded(() -> DriverJobs.ended(event, feeder, failedJobs));
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd event) {
    guarded(
        () -> {
          TaskInfo task = event.taskInfo();
          TaskEndReason reason = event.reason();
          if (!(reason instanceof Success$)) {
            ingest(ScalaViews.elements(reason, "accumUpdates"));
          }
          if (task == null) {
            return;
          }
          long taskId = task.taskId();
          int stageId = event.stageId();
          failedJobs.taskEnded(stageId, taskId, reason);
          queryRows.taskEnded(event);
          int stageAttempt = event.stageAttemptId();
          int partition = task.partitionId() >= 0 ? task.partitionId() : task.index();
          int attempt = task.attemptNumber();
          String executorId = task.executorId();
          TaskOutcome outcome = TaskOutcome.of(reason);
          String error =
              reason instanceof TaskFailedReason
                  ? ErrorText.withCauses(((TaskFailedReason) reason).toErrorString())
                  : "";
          long time = task.finishTime();
          long launched = task.launchTime();
          // A task that never ran has none.
          long gc = event.taskMetrics() == null ? -1 : event.taskMetrics().jvmGCTime();
          long resultBytes = DriverJobs.resultBytes(event);
          if (resultBytes >= 0) {
            feeder.event(feed -> NativeFeed.taskResult(feed, stageId, taskId, resultBytes));
          }
          feeder.event(
              feed ->
                  NativeFeed.taskEnded(
                      feed,
                      taskId,
                      stageId,
                      stageAttempt,
                      partition,
                      attempt,
                      executorId,
                      outcome.ordinal(),
                      error,
                      time,
                      launched,
                      gc));
        });
  }

  @Override
  public void onExecutorMetricsUpdate(SparkListenerExecutorMetricsUpdate event) {
    guarded(
        () -> {
          Iterator<?> tasks = ScalaViews.elements(event, "accumUpdates");
          while (tasks.hasNext()) {
            ingest(ScalaViews.elements(((Tuple4<?, ?, ?, ?>) tasks.next())._4()));
          }
        });
  }

  @Override
  public void onBlockUpdated(SparkListenerBlockUpdated event) {
    guarded(() -> CachedBlocks.updated(event.blockUpdatedInfo(), feeder));
  }

  @Override
  public void onUnpersistRDD(SparkListenerUnpersistRDD event) {
    guarded(
        () -> {
          int id = event.rddId();
          feeder.event(feed -> NativeFeed.rddUnpersisted(feed, id));
        });
  }

  private void ingest(Iterator<?> updates) {
    while (updates.hasNext()) {
      AccumulableInfo info = (AccumulableInfo) updates.next();
      if (info.id() == accumulatorId && info.update().isDefined()) {
        Object value = info.update().get();
        if (value instanceof byte[] && ((byte[]) value).length > 0) {
          feeder.ingest((byte[]) value);
        }
      }
    }
  }

  private interface Body {
    void run() throws Exception;
  }

  /** A listener that throws is only logged by Spark, but at length and for every event. */
  private void guarded(Body body) {
    try {
      body.run();
    } catch (Throwable e) {
      notices.failed("part of the driver's events", e);
    }
  }
}
