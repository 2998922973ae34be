package org.sparkmemprof.listener;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.report.StoreFeeder;

/**
 * Rows of the results of Spark SQL's queries, task by task: the metric of the plan's topmost node
 * that counts its rows, if no node above it changes their number.
 *
 * <p>Used by the listener's thread only. Spark SQL's classes are in a jar that an application need
 * not have.
 */
final class QueryRows {
  private static final int MOST_QUERIES = 1000;
  private static final String EVENTS = "org.apache.spark.sql.execution.ui.SparkListenerSQL";
  private static final String ROWS = "number of output rows";

  /** Nodes that pass each row on, as their names begin. */
  private static final Pattern PASSES_ROWS_ON =
      Pattern.compile(
          "(AdaptiveSparkPlan|ResultQueryStage|ShuffleQueryStage|AQEShuffleRead|CustomShuffleReader"
              + "|Exchange|Project|Sort|WholeStageCodegen|InputAdapter|ColumnarToRow|RowToColumnar"
              + "|DeserializeToObject|SerializeFromObject).*");

  /** For each running query the id of the accumulator that counts its rows, and back. */
  private final Map<Long, Long> accumulators = new HashMap<>();

  private final Map<Long, Long> queries = new HashMap<>();

  /** A query begins, has another plan, or ends; other events are ignored. */
  void planned(SparkListenerEvent event) throws ReflectiveOperationException {
    String type = event.getClass().getName();
    if (!type.startsWith(EVENTS)) {
      return;
    }
    boolean starts = type.equals(EVENTS + "ExecutionStart");
    if (starts || type.equals(EVENTS + "AdaptiveExecutionUpdate")) {
      long query = queryOf(event);
      forget(query);
      Long accumulator = accumulatorOf(value(event, "sparkPlanInfo"));
      if (accumulator != null && queries.size() < MOST_QUERIES) {
        accumulators.put(query, accumulator);
        queries.put(accumulator, query);
      }
    } else if (type.equals(EVENTS + "ExecutionEnd")) {
      forget(queryOf(event));
    }
  }

  void taskEnded(SparkListenerTaskEnd event, StoreFeeder feeder)
      throws ReflectiveOperationException {
    if (queries.isEmpty() || !(event.reason() instanceof Success$)) {
      return;
    }
    Iterator<?> updates = ScalaViews.asJava(event.taskInfo(), "accumulables");
    while (updates.hasNext()) {
      AccumulableInfo info = (AccumulableInfo) updates.next();
      Long query = queries.get(info.id());
      if (query != null && info.update().isDefined() && info.update().get() instanceof Number) {
        long rows = ((Number) info.update().get()).longValue();
        feeder.event(feed -> NativeFeed.queryRows(feed, query, rows));
      }
    }
  }

  private void forget(long query) {
    Long accumulator = accumulators.remove(query);
    if (accumulator != null) {
      queries.remove(accumulator);
    }
  }

  private static long queryOf(SparkListenerEvent event) throws ReflectiveOperationException {
    return ((Number) value(event, "executionId")).longValue();
  }

  private static Long accumulatorOf(Object plan) throws ReflectiveOperationException {
    Object node = plan;
    while (node != null) {
      Iterator<?> metrics = ScalaViews.asJava(node, "metrics");
      while (metrics.hasNext()) {
        Object metric = metrics.next();
        if (ROWS.equals(value(metric, "name"))) {
          return ((Number) value(metric, "accumulatorId")).longValue();
        }
      }
      if (!PASSES_ROWS_ON.matcher((String) value(node, "nodeName")).matches()) {
        return null;
      }
      Iterator<?> children = ScalaViews.asJava(node, "children");
      node = children.hasNext() ? children.next() : null;
      if (children.hasNext()) {
        return null;
      }
    }
    return null;
  }

  private static Object value(Object target, String getter) throws ReflectiveOperationException {
    return target.getClass().getMethod(getter).invoke(target);
  }
}
