package org.apache.spark.sql.execution.ui;

/** Known by its name. */
public final class SparkListenerSQLAdaptiveExecutionUpdate extends PlanEvent {
  public SparkListenerSQLAdaptiveExecutionUpdate(long executionId, Node plan) {
    super(executionId, plan);
  }
}
