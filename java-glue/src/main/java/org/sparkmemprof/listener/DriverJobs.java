package org.sparkmemprof.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.spark.Success$;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.JobFailed;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.report.StoreFeeder;
import scala.collection.Iterator;

/** Jobs and the results that they bring to the driver, as Spark reports them. */
final class DriverJobs {
  private static final String RESULT_TASK = "ResultTask";
  static final String QUERY_STARTED =
      "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart";

  /** What {@link NativeFeed#jobStarted} takes, in its order. */
  private static final String[] PROPERTIES = {
    "callSite.short",
    "spark.job.description",
    "spark.job.tags",
    "spark.sql.execution.id",
    "spark.memprof.builtAt", // by the driver's Python: sparkmemprof.call_sites
  };

  private DriverJobs() {}

  /**
   * @return where the user's program asked for it; "": not known
   */
  static String started(SparkListenerJobStart event, StoreFeeder feeder, FailedJobs jobs)
      throws ReflectiveOperationException {
    List<StageInfo> infos = new ArrayList<>();
    Iterator<?> stages = ScalaViews.elements(event, "stageInfos");
    while (stages.hasNext()) {
      infos.add((StageInfo) stages.next());
    }
    String name = "";
    int last = -1;
    for (StageInfo stage : infos) {
      if (stage.stageId() > last) {
        last = stage.stageId();
        name = stage.name();
      }
    }
    String stageName = ErrorText.shortened(name);
    long[] ids = infos.stream().mapToLong(StageInfo::stageId).toArray();
    Properties properties = event.properties();
    String[] values = new String[PROPERTIES.length];
    for (int i = 0; i < values.length; i++) {
      String value = properties == null ? null : properties.getProperty(PROPERTIES[i]);
      values[i] = value == null ? "" : ErrorText.shortened(value);
    }
    int job = event.jobId();
    long time = event.time();
    jobs.started(job, ids);
    feeder.event(feed -> NativeFeed.jobStarted(feed, job, ids, stageName, values, time));
    return values[0];
  }

  /** By reflection, because Spark SQL's jar may be missing in an application. */
  static void query(SparkListenerEvent event, StoreFeeder feeder)
      throws ReflectiveOperationException {
    Class<?> type = event.getClass();
    if (!type.getName().equals(QUERY_STARTED)) {
      return;
    }
    long id = ((Number) type.getMethod("executionId").invoke(event)).longValue();
    long time = ((Number) type.getMethod("time").invoke(event)).longValue();
    Object description = type.getMethod("description").invoke(event);
    String callSite = description == null ? "" : ErrorText.shortened((String) description);
    feeder.event(feed -> NativeFeed.queryStarted(feed, id, callSite, time));
  }

  static void ended(SparkListenerJobEnd event, StoreFeeder feeder, FailedJobs jobs) {
    int job = event.jobId();
    long time = event.time();
    Throwable exception =
        event.jobResult() instanceof JobFailed ? ((JobFailed) event.jobResult()).exception() : null;
    jobs.ended(job, exception);
    String failure = exception == null ? "" : ErrorText.withCauses(exception.toString());
    feeder.event(feed -> NativeFeed.jobEnded(feed, job, failure, time));
  }

  /**
   * Bytes that the driver received from the task, its accumulators included; -1: none, or it is a
   * shuffle's task.
   */
  static long resultBytes(SparkListenerTaskEnd event) {
    TaskMetrics metrics = event.taskMetrics();
    boolean came =
        metrics != null
            && event.reason() instanceof Success$
            && RESULT_TASK.equals(event.taskType());
    return came ? metrics.resultSize() : -1;
  }
}
