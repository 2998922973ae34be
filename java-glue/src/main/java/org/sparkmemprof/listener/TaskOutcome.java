package org.sparkmemprof.listener;

import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.Resubmitted$;
import org.apache.spark.Success$;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskKilled;

/** How a task ended, in the order of the numbers that {@code NativeFeed.taskEnded} takes. */
enum TaskOutcome {
  SUCCEEDED,
  FAILED,
  KILLED,
  LOST;

  static TaskOutcome of(TaskEndReason reason) {
    if (reason instanceof Success$) {
      return SUCCEEDED;
    }
    if (reason instanceof TaskKilled) {
      return KILLED;
    }
    // Resubmitted: it had succeeded, and its output was lost with its executor.
    if (reason instanceof ExecutorLostFailure || reason instanceof Resubmitted$) {
      return LOST;
    }
    return FAILED;
  }
}
