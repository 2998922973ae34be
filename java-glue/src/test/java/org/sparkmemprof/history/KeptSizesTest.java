package org.sparkmemprof.history;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class KeptSizesTest {
  private final KeptSizes sizes = new KeptSizes(1_200);

  @Test
  public void whatIsWrittenAgainTakesNoMoreRoom() {
    for (int i = 0; i < 50; i++) {
      assertTrue(sizes.take("stage/1", 700, true));
    }
    assertTrue(sizes.take("stage/1", 300, true));
    assertTrue(sizes.take("stage/2", 400, true));
  }

  @Test
  public void oneThatIsRefusedTakesNone() {
    assertTrue(sizes.take("stage/1", 700, true));
    assertFalse(sizes.take("stage/2", 700, true));
    assertTrue(sizes.take("application/1", 50, false));
    assertFalse(sizes.take("stage/1", 900, true));
  }

  @Test
  public void stagesLeaveRoomForTheApplication() {
    assertTrue(sizes.take("stage/1", 950, true));
    assertFalse(sizes.take("stage/2", 20, true));
    assertTrue(sizes.take("application/", 40, false));
    assertFalse(sizes.take("postMortem/1", 40, false));
  }
}
