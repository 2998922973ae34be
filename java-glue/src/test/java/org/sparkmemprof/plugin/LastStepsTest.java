package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public class LastStepsTest {
  private final List<String> seen = new ArrayList<>();
  private final LastSteps steps =
      new LastSteps(
          (what, why) -> seen.add(what + " is off: " + why),
          new String[] {"the first", "the second", "the third"},
          () -> {
            seen.add("first");
            throw new OutOfMemoryError("of a test");
          },
          () -> {
            seen.add("second");
            throw new InterruptedException();
          },
          () -> seen.add("third, interrupted: " + Thread.currentThread().isInterrupted()));

  @Test
  public void eachIsTakenOnceWhateverBecameOfTheOthers() {
    assertFalse(steps.begun());
    steps.take();
    assertTrue(steps.begun());
    assertTrue("still", Thread.interrupted());
    steps.take();
    assertEquals(
        Arrays.asList(
            "first",
            "the first is off: java.lang.OutOfMemoryError: of a test",
            "second",
            "third, interrupted: false"),
        seen);
  }
}
