package org.sparkmemprof.report;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.Test;
import org.sparkmemprof.report.Settling.Lack;

public class SettlingTest {
  private static final long LONG_MILLIS = 60_000;

  private final List<String> asked = new ArrayList<>();

  /** Gives these answers, one after the other. */
  private BooleanSupplier answering(String what, Boolean... answers) {
    Iterator<Boolean> next = Arrays.asList(answers).iterator();
    return () -> {
      asked.add(what);
      return next.next();
    };
  }

  @Test
  public void whatWasPassedInIsInTheStore() throws InterruptedException {
    Settling settling = new Settling(answering("idle", false, false, true), answering("names"));
    assertTrue(settling.await(LONG_MILLIS, () -> Lack.NOTHING));
    assertEquals(Collections.nCopies(3, "idle"), asked);
  }

  @Test
  public void namesAreAskedForOnceTheirSitesAreInTheStore() throws InterruptedException {
    Settling settling =
        new Settling(answering("idle", false, true, true), answering("names", true, false));
    assertTrue(settling.await(LONG_MILLIS, () -> Lack.NAMES));
    assertEquals(Arrays.asList("idle", "idle", "names", "idle", "names"), asked);
  }

  @Test
  public void whatIsLackingIsAskedBeforeWhatIsOnItsWay() throws InterruptedException {
    Settling settling = new Settling(answering("idle", true), answering("names"));
    Iterator<Lack> lacks = Arrays.asList(Lack.MESSAGES, Lack.NOTHING).iterator();
    assertTrue(
        settling.await(
            LONG_MILLIS,
            () -> {
              asked.add("lack");
              return lacks.next();
            }));
    assertEquals(
        "a message that came between the two would be left behind",
        Arrays.asList("lack", "lack", "idle"),
        asked);
  }

  @Test
  public void itGivesUp() throws InterruptedException {
    Settling settling = new Settling(answering("idle", false), answering("names"));
    assertFalse(settling.await(0, () -> Lack.NOTHING));
    assertEquals(Collections.singletonList("idle"), asked);
    assertFalse(settling.await(0, () -> Lack.MESSAGES));
  }
}
