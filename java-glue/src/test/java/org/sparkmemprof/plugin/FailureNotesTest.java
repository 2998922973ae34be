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
}
