package org.sparkmemprof.listener;

import static org.apache.spark.sql.execution.ui.PlanEvent.Node.counts;
import static org.apache.spark.sql.execution.ui.PlanEvent.Node.node;
import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.spark.Success$;
import org.apache.spark.executor.ExecutorMetrics;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocality;
import org.apache.spark.sql.execution.ui.PlanEvent.Node;
import org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.junit.Test;
import scala.Option;
import scala.collection.JavaConverters;

public class QueryRowsTest {
  private static final long QUERY = 5;

  private final List<String> told = new ArrayList<>();
  private final QueryRows rows =
      new QueryRows(
          (query, made, broadcast) ->
              told.add(query + (broadcast ? " table " : " result ") + made));

  private void starts(Node plan) throws ReflectiveOperationException {
    rows.planned(new SparkListenerSQLExecutionStart(QUERY, plan));
  }

  private void changes(Node plan) throws ReflectiveOperationException {
    rows.planned(new SparkListenerSQLAdaptiveExecutionUpdate(QUERY, plan));
  }

  private void taskCounts(long accumulator, long made) throws ReflectiveOperationException {
    TaskInfo info = new TaskInfo(1, 0, 0, 0, 0L, "1", "host", TaskLocality.PROCESS_LOCAL(), false);
    AccumulableInfo counted =
        new AccumulableInfo(
            accumulator,
            Option.empty(),
            Option.<Object>apply(made),
            Option.empty(),
            false,
            false,
            Option.empty());
    info.setAccumulables(
        JavaConverters.asScalaBufferConverter(Collections.singletonList(counted)).asScala());
    rows.taskEnded(
        new SparkListenerTaskEnd(
            0, 0, "ResultTask", Success$.MODULE$, info, new ExecutorMetrics(), null));
  }

  private static Node table(Node below) {
    return counts(99, "BroadcastExchange", below); // its own metric is the driver's
  }

  private static Node shuffled(Node below) {
    return node("AQEShuffleRead", node("ShuffleQueryStage", node("Exchange", below)));
  }

  @Test
  public void resultAndEachTableByTheirOwnNodes() throws Exception {
    Node second = table(node("Project", counts(8, "Range")));
    starts(
        node(
            "Project",
            counts(
                1,
                "BroadcastHashJoin",
                node("BroadcastHashJoin", node("Scan"), table(counts(7, "Filter"))),
                second)));
    taskCounts(7, 40);
    taskCounts(8, 2);
    taskCounts(1, 11);
    taskCounts(99, 1_000);
    assertEquals(Arrays.asList("5 table 40", "5 table 2", "5 result 11"), told);
  }

  @Test
  public void rowsBelowASortAreMadeMoreThanOnce() throws Exception {
    String ranges = "Exchange rangepartitioning(id#0L ASC NULLS FIRST, 4), ENSURE_REQUIREMENTS";
    starts(node("Sort", node(ranges, counts(1, "Filter"))));
    taskCounts(1, 11);
    assertEquals(Collections.emptyList(), told);
    starts(node("Sort", node("Exchange hashpartitioning(id#0L, 4)", counts(1, "Filter"))));
    taskCounts(1, 11);
    assertEquals(Collections.singletonList("5 result 11"), told);
    told.clear();
    starts(node("Join", table(node(ranges, counts(7, "Filter")))));
    assertEquals(Collections.singletonList("5 table -1"), told);
  }

  @Test
  public void oneTableThatNobodyCountsMakesTheSumUnknown() throws Exception {
    starts(node("Join", table(counts(7, "Filter")), table(node("Union", counts(8, "Range")))));
    assertEquals(Collections.singletonList("5 table -1"), told);
    changes(node("Join", table(counts(7, "Filter")), table(counts(8, "Range"))));
    assertEquals("once and for all", 1, told.size());
  }

  @Test
  public void rowsThatWereShuffledBeforeTheyBecameATableAreGone() throws Exception {
    starts(node("SortMergeJoin", counts(6, "Scan"), counts(7, "Filter")));
    changes(node("BroadcastHashJoin", counts(6, "Scan"), table(shuffled(counts(7, "Filter")))));
    assertEquals(Collections.singletonList("5 table -1"), told);
  }

  @Test
  public void tableThatWasOneBeforeItsShuffleGoesOn() throws Exception {
    starts(node("Join", table(node("Exchange", counts(7, "Filter")))));
    taskCounts(7, 40);
    changes(node("Join", table(shuffled(counts(7, "Filter")))));
    taskCounts(7, 2);
    assertEquals(Arrays.asList("5 table 40", "5 table 2"), told);
  }

  @Test
  public void nobodyKnowsWhetherTheTableBelowACacheIsMadeNow() throws Exception {
    Node cached = node("InMemoryTableScan", table(counts(8, "Range")));
    starts(node("Join", cached, table(counts(7, "Scan"))));
    assertEquals(Collections.singletonList("5 table -1"), told);
  }

  @Test
  public void tableOfASubqueryIsNotKnownAndOneThatIsUsedAgainIsThere() throws Exception {
    Node table = table(node("TableCacheQueryStage", counts(7, "Filter")));
    Node filter = node("Scan parquet", node("SubqueryBroadcast", table));
    starts(node("BroadcastHashJoin", filter, table));
    taskCounts(7, 40);
    assertEquals(Collections.singletonList("5 table 40"), told);
    changes(node("Project", node("Subquery", node("AdaptiveSparkPlan", table))));
    assertEquals("5 table -1", told.get(1));
  }

  @Test
  public void queriesWhoseEndWasNotToldGiveWayToLaterOnes() throws Exception {
    for (int i = 0; i <= QueryRows.MOST; i++) {
      Node plan = counts(10_000 + i, "Range");
      rows.planned(new SparkListenerSQLExecutionStart(100 + i, plan));
    }
    assertEquals(Arrays.asList("100 table -1", "100 result -1"), told);
    told.clear();
    taskCounts(10_000, 3);
    taskCounts(10_000 + QueryRows.MOST, 4);
    long newest = 100 + QueryRows.MOST;
    assertEquals(Collections.singletonList(newest + " result 4"), told);
  }

  @Test
  public void nothingIsCountedAfterItsEnd() throws Exception {
    starts(table(counts(7, "Filter")));
    rows.planned(new SparkListenerSQLExecutionEnd(QUERY));
    taskCounts(7, 40);
    assertEquals(Collections.emptyList(), told);
  }
}
