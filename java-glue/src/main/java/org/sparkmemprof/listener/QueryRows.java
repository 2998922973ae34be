package org.sparkmemprof.listener;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Rows of the results of Spark SQL's queries, and of the tables that they collect to broadcast,
 * task by task: the metric of the plan's (or table's) topmost node that counts its rows, if no node
 * above it changes their number.
 *
 * <p>Used by the listener's thread only. Spark SQL's classes are in a jar that an application need
 * not have.
 */
final class QueryRows {
  /** Takes what was counted. */
  interface Sink {
    /**
     * @param rows that a task has made; -1: they will not be known
     * @param broadcast of tables to broadcast, not of the query's result
     */
    void rows(long query, long rows, boolean broadcast);
  }

  static final int MOST = 1000; // queries, and accumulators
  private static final String EVENTS = "org.apache.spark.sql.execution.ui.SparkListenerSQL";
  private static final String ROWS = "number of output rows";
  private static final String BROADCAST = "BroadcastExchange";
  private static final String WAS_SHUFFLED = "ShuffleQueryStage";

  /** Of a sort: Spark runs what is below it once more, or twice, to find the ranges' bounds. */
  private static final String RUNS_AGAIN = "rangepartitioning(";

  /** They have the table of a broadcast that is in the plan already. */
  private static final Pattern OF_OTHERS = Pattern.compile("Subquery(Adaptive)?Broadcast.*");

  /**
   * Below them stands a plan of its own: that of a cache, which runs only while the cache is
   * filled, or of a subquery, whose later changes are not told.
   */
  private static final Pattern OWN_PLAN =
      Pattern.compile("(InMemoryTableScan|Scan In-memory|Subquery|ReusedSubquery).*");

  /** Nodes that pass each row on, as their names begin. */
  private static final Pattern PASSES_ROWS_ON =
      Pattern.compile(
          "(AdaptiveSparkPlan|ResultQueryStage|ShuffleQueryStage|TableCacheQueryStage|AQEShuffleRead"
              + "|CustomShuffleReader|Exchange|Project|Sort|WholeStageCodegen|InputAdapter"
              + "|ColumnarToRow|RowToColumnar|DeserializeToObject|SerializeFromObject).*");

  private static final class Query {
    final long id;
    final Set<Long> tables = new HashSet<>(); // accumulators
    boolean tablesUnknown;

    Query(long id) {
      this.id = id;
    }
  }

  /** What counts the rows of a node. */
  private static final class Counter {
    final long accumulator;
    final boolean done; // its tasks are

    Counter(long accumulator, boolean done) {
      this.accumulator = accumulator;
      this.done = done;
    }
  }

  private final Sink sink;
  private final Map<Long, Query> queries = new LinkedHashMap<>(); // that run, oldest plan first
  private final Map<Long, Query> byAccumulator = new HashMap<>();

  QueryRows(Sink sink) {
    this.sink = sink;
  }

  /** A query begins, has another plan, or ends; other events are ignored. */
  void planned(SparkListenerEvent event) throws ReflectiveOperationException {
    String type = event.getClass().getName();
    if (!type.startsWith(EVENTS)) {
      return;
    }
    if (type.equals(EVENTS + "ExecutionStart") || type.equals(EVENTS + "AdaptiveExecutionUpdate")) {
      plan(queryOf(event), value(event, "sparkPlanInfo"));
    } else if (type.equals(EVENTS + "ExecutionEnd")) {
      forget(queries.remove(queryOf(event)));
    }
  }

  private void plan(long id, Object plan) throws ReflectiveOperationException {
    Query before = queries.remove(id);
    forget(before);
    makeRoom();
    Query query = new Query(id);
    query.tablesUnknown = before != null && before.tablesUnknown;
    Set<Long> known = before == null ? Collections.emptySet() : before.tables;
    boolean found = findTables(plan, false, known, query);
    if (!found && !query.tablesUnknown) {
      query.tablesUnknown = true;
      sink.rows(id, -1, true);
    }
    if (query.tablesUnknown) {
      query.tables.clear(); // nobody needs a part of the sum
    }
    queries.put(id, query);
    Counter result = counterOf(plan);
    if (result != null) {
      byAccumulator.put(result.accumulator, query);
    }
    query.tables.forEach(accumulator -> byAccumulator.put(accumulator, query));
  }

  /**
   * The oldest ones give way: Spark's listener bus drops events when it is busy, so that some
   * queries never end here.
   */
  private void makeRoom() {
    while (byAccumulator.size() >= MOST || queries.size() >= MOST) {
      Query oldest = queries.values().iterator().next();
      queries.remove(oldest.id);
      forget(oldest);
      sink.rows(oldest.id, -1, true);
      sink.rows(oldest.id, -1, false);
    }
  }

  void taskEnded(SparkListenerTaskEnd event) throws ReflectiveOperationException {
    if (byAccumulator.isEmpty() || !(event.reason() instanceof Success$)) {
      return;
    }
    Iterator<?> updates = ScalaViews.asJava(event.taskInfo(), "accumulables");
    while (updates.hasNext()) {
      AccumulableInfo info = (AccumulableInfo) updates.next();
      Query query = byAccumulator.get(info.id());
      if (query != null && info.update().isDefined() && info.update().get() instanceof Number) {
        long rows = ((Number) info.update().get()).longValue();
        sink.rows(query.id, rows, query.tables.contains(info.id()));
      }
    }
  }

  private void forget(Query query) {
    if (query != null) {
      byAccumulator.values().removeIf(query::equals);
    }
  }

  /**
   * False: the rows of one of them are counted nowhere, or it isn't known whether it runs, or tasks
   * that are done have counted them. A sum would be too small.
   */
  private static boolean findTables(Object node, boolean inOwnPlan, Set<Long> known, Query query)
      throws ReflectiveOperationException {
    String name = (String) value(node, "nodeName");
    if (OF_OTHERS.matcher(name).matches()) {
      return true;
    }
    boolean isTable = name.startsWith(BROADCAST);
    if (isTable && inOwnPlan) {
      return false;
    }
    boolean belowInOwnPlan = inOwnPlan || OWN_PLAN.matcher(name).matches();
    Iterator<?> children = ScalaViews.asJava(node, "children");
    while (children.hasNext()) {
      Object child = children.next();
      if (isTable) { // whose own metric comes when all rows are there
        Counter rows = counterOf(child);
        if (rows == null || rows.done && !known.contains(rows.accumulator)) {
          return false;
        }
        query.tables.add(rows.accumulator);
      }
      if (!findTables(child, belowInOwnPlan, known, query)) {
        return false;
      }
    }
    return true;
  }

  private static long queryOf(Object event) throws ReflectiveOperationException {
    return ((Number) value(event, "executionId")).longValue();
  }

  /** Null: its rows aren't counted. */
  private static Counter counterOf(Object plan) throws ReflectiveOperationException {
    boolean done = false;
    Object node = plan;
    while (node != null) {
      Iterator<?> metrics = ScalaViews.asJava(node, "metrics");
      while (metrics.hasNext()) {
        Object metric = metrics.next();
        if (ROWS.equals(value(metric, "name"))) {
          return new Counter(((Number) value(metric, "accumulatorId")).longValue(), done);
        }
      }
      String name = (String) value(node, "nodeName");
      boolean runsAgain = ((String) value(node, "simpleString")).contains(RUNS_AGAIN);
      if (runsAgain || !PASSES_ROWS_ON.matcher(name).matches()) {
        return null;
      }
      done = done || name.startsWith(WAS_SHUFFLED);
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
