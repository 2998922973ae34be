package org.apache.spark.sql.execution.ui;

/** Known by its name. */
public final class SparkListenerSQLExecutionStart extends PlanEvent {
  public SparkListenerSQLExecutionStart(long executionId, Node plan) {
    super(executionId, plan);
  }
}
