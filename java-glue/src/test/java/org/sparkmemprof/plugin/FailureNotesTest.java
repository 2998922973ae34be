package org.sparkmemprof.plugin;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class FailureNotesTest {
  /** Of no job: the driver's own, for which it is worth waiting. */
  @Test
  public void theDriversFullHeapIsKnownByItsWords() {
    assertTrue(
        FailureNotes.tellsOfFullHeap("java.lang.OutOfMemoryError: Java heap space\n\tat x.Y.z"));
    assertTrue(
        FailureNotes.tellsOfFullHeap(
            "org.apache.spark.SparkException: Not enough memory to build and broadcast the table"
                + " to all worker nodes."));
    assertFalse(FailureNotes.tellsOfFullHeap("org.apache.spark.SparkException: no such column"));
  }

  @Test
  public void afterTheEndOnlyWhatTheDriversHeapCanHaveDoneIsItsDeed() {
    assertTrue(FailureNotes.mayBeOfEnd("java.lang.OutOfMemoryError: Java heap space"));
    assertTrue(
        FailureNotes.mayBeOfEnd(
            "org.apache.spark.SparkException: Job 3 cancelled because SparkContext was shut down"));
    assertFalse(
        FailureNotes.mayBeOfEnd(
            "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0"
                + " failed 4 times: java.lang.OutOfMemoryError: Java heap space"));
    assertFalse(FailureNotes.mayBeOfEnd("java.lang.IllegalStateException: stopped"));
  }
}
