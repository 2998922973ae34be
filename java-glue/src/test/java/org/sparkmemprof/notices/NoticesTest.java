package org.sparkmemprof.notices;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

public class NoticesTest {
  private final List<String> told = new ArrayList<>();

  @Test
  public void aFailureIsReportedWithItsReason() {
    Notices notices = (what, why) -> told.add(what + ": " + why);
    notices.failed("the report", new IOException("the disk is full"));
    notices.failed("the report", new IllegalArgumentException("spark.memprof.source=x: want …"));
    notices.failed("the report", new IllegalArgumentException());
    notices.failed("the report", null);
    assertEquals(
        Arrays.asList(
            "the report: java.io.IOException: the disk is full",
            "the report: spark.memprof.source=x: want …",
            "the report: java.lang.IllegalArgumentException",
            "the report: null"),
        told);
  }

  /** It is called in a full heap, on a task's thread, too. */
  @Test
  public void aFailureThrowsNothing() {
    Notices full =
        (what, why) -> {
          throw new OutOfMemoryError("of a test");
        };
    full.failed("the report", new IOException());
    Throwable hasNoWords =
        new IOException() {
          @Override
          public String toString() {
            throw new OutOfMemoryError("of a test");
          }
        };
    Notices notices = (what, why) -> told.add(what);
    notices.failed("the report", hasNoWords);
    assertEquals(Collections.emptyList(), told);
  }
}
