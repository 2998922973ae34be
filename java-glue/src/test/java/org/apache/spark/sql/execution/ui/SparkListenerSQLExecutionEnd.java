package org.apache.spark.sql.execution.ui;

/** Known by its name. */
public final class SparkListenerSQLExecutionEnd extends PlanEvent {
  public SparkListenerSQLExecutionEnd(long executionId) {
    super(executionId, null);
  }
}
