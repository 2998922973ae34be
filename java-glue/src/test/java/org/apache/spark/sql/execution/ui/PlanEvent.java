package org.apache.spark.sql.execution.ui;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.spark.scheduler.SparkListenerEvent;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/** Stands in for Spark SQL's events, whose jar the unit tests don't have: the same getters. */
public class PlanEvent implements SparkListenerEvent {
  private final long executionId;
  private final Node plan;

  PlanEvent(long executionId, Node plan) {
    this.executionId = executionId;
    this.plan = plan;
  }

  public long executionId() {
    return executionId;
  }

  public Node sparkPlanInfo() {
    return plan;
  }

  /** As SparkPlanInfo. */
  public static final class Node {
    private final String name;
    private final List<Metric> metrics;
    private final List<Node> children;

    private Node(String name, List<Metric> metrics, Node[] children) {
      this.name = name;
      this.metrics = metrics;
      this.children = Arrays.asList(children);
    }

    /** A node that doesn't count its rows. */
    public static Node node(String name, Node... children) {
      return new Node(name, Collections.emptyList(), children);
    }

    /** One that does, by this accumulator. */
    public static Node counts(long accumulator, String name, Node... children) {
      return new Node(name, Collections.singletonList(new Metric(accumulator)), children);
    }

    public String nodeName() {
      return name.startsWith("Exchange ") ? "Exchange" : name;
    }

    public String simpleString() {
      return name;
    }

    public Seq<Metric> metrics() {
      return JavaConverters.asScalaBufferConverter(metrics).asScala();
    }

    public Seq<Node> children() {
      return JavaConverters.asScalaBufferConverter(children).asScala();
    }
  }

  /** As SQLMetricInfo. */
  public static final class Metric {
    private final long accumulatorId;

    private Metric(long accumulatorId) {
      this.accumulatorId = accumulatorId;
    }

    public String name() {
      return "number of output rows";
    }

    public long accumulatorId() {
      return accumulatorId;
    }
  }
}
