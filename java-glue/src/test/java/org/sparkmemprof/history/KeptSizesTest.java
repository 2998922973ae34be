package org.sparkmemprof.history;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class KeptSizesTest {
  private final KeptSizes sizes = new KeptSizes(1_000);

  @Test
  public void whatIsWrittenAgainTakesNoMoreRoom() {
    for (int i = 0; i < 50; i++) {
      assertTrue(sizes.take("stage/1", 700));
    }
    assertTrue(sizes.take("stage/1", 300));
    assertTrue(sizes.take("stage/2", 400));
  }

  @Test
  public void oneThatIsRefusedTakesNone() {
    assertTrue(sizes.take("stage/1", 700));
    assertFalse(sizes.take("stage/2", 700));
    assertTrue(sizes.take("application/1", 50));
    assertFalse(sizes.take("stage/1", 900));
  }
}
