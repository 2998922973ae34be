package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.sparkmemprof.plugin.LastSteps.Step;

public class LastStepsTest {
  private final List<String> seen = new ArrayList<>();
  private final LastSteps steps =
      new LastSteps(
          (what, why) -> seen.add(what + " is off: " + why),
          new Step(
              "the first",
              () -> {
                seen.add("first");
                throw new OutOfMemoryError("of a test");
              }),
          new Step(
              "the second",
              () -> {
                seen.add("second");
                throw new InterruptedException();
              }),
          new Step(
              "the third",
              () -> seen.add("third, interrupted: " + Thread.currentThread().isInterrupted())));

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
