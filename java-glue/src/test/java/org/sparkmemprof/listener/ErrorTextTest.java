package org.sparkmemprof.listener;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.Collections;
import org.junit.Test;

public class ErrorTextTest {
  private static final String STACK =
      String.join(
          "", Collections.nCopies(100, "\n\tat org.apache.spark.Some.method(Some.scala:17)"));
  private static final String CAUSE =
      "\n"
          + "Caused by: io.netty.util.internal.OutOfDirectMemoryError: failed to allocate 4194304"
          + " byte(s)";

  @Test
  public void aShortOneStays() {
    assertEquals("error" + CAUSE, ErrorText.withCauses("error" + CAUSE));
  }

  @Test
  public void causesBehindALongStackStay() {
    String text = ErrorText.withCauses("error" + STACK + CAUSE + STACK);
    assertTrue(text, text.startsWith("error\n\tat org"));
    assertTrue(text, text.endsWith("..." + CAUSE));
    assertTrue(text.length() <= ErrorText.MOST_CHARS + 3 + CAUSE.length());
    assertTrue(ErrorText.withCauses("error" + STACK + CAUSE).endsWith("..." + CAUSE));
  }

  @Test
  public void oneThatIsCutInTheMiddleIsThereWhole() {
    String head = ("error" + STACK).substring(0, ErrorText.MOST_CHARS - 20);
    assertTrue(ErrorText.withCauses(head + CAUSE + STACK).endsWith("..." + CAUSE));
  }

  @Test
  public void ofManyTheLastStayAndEachIsBounded() {
    StringBuilder causes = new StringBuilder();
    for (int i = 0; i < 9; i++) {
      causes.append("\nCaused by: cause ").append(i).append(STACK);
    }
    String text = ErrorText.withCauses("error" + STACK + causes);
    assertTrue(
        text,
        text.endsWith(
            "...\nCaused by: cause 5\nCaused by: cause 6\nCaused by: cause 7\nCaused by: cause 8"));
    String line = String.join("", Collections.nCopies(9_999, "x"));
    String bounded = ErrorText.withCauses("error" + STACK + "\nCaused by: " + line);
    assertTrue(bounded.length() < ErrorText.MOST_CHARS + 300);
  }

  @Test
  public void textsWithoutCausesAreOnlyCut() {
    String text = String.join("", Collections.nCopies(ErrorText.MOST_CHARS + 1, "x"));
    assertEquals(ErrorText.shortened(text), ErrorText.withCauses(text));
    assertFalse(ErrorText.shortened(text).equals(text));
  }
}
