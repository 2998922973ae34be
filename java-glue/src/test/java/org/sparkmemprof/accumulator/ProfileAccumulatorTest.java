package org.sparkmemprof.accumulator;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.util.AccumulatorV2;
import org.junit.Test;

public class ProfileAccumulatorTest {
  private static final byte[] INTERIM = {1};
  private static final byte[] FINAL = {2, 3};

  private final List<byte[]> arrived = new ArrayList<>();
  private final ProfileAccumulator onDriver = new ProfileAccumulator(arrived::add);
  private final ProfileAccumulator ofTask = new ProfileAccumulator(null);

  @Test
  public void zeroUntilTheFirstSnapshot() {
    assertTrue(ofTask.isZero());
    ofTask.snapshot(null);
    assertTrue(ofTask.isZero());
    ofTask.snapshot(INTERIM);
    assertFalse(ofTask.isZero());
    assertArrayEquals(INTERIM, ofTask.value());
  }

  @Test
  public void snapshotThatComesLateDoesNotReplaceTheFinalProfile() {
    ofTask.close(FINAL);
    ofTask.snapshot(INTERIM);
    assertArrayEquals(FINAL, ofTask.value());
  }

  @Test
  public void taskWithoutAFinalProfileKeepsItsLastSnapshot() {
    ofTask.snapshot(INTERIM);
    ofTask.close(null);
    assertArrayEquals(INTERIM, ofTask.value());
  }

  @Test
  public void mergingHandsOnAndKeepsNothing() {
    ofTask.close(FINAL);
    onDriver.merge(ofTask);
    onDriver.merge(new ProfileAccumulator(null));
    assertEquals(1, arrived.size());
    assertArrayEquals(FINAL, arrived.get(0));
    assertTrue("nothing of it lives in the driver's heap", onDriver.isZero());
  }

  @Test
  public void copiesAreIndependent() {
    ofTask.snapshot(INTERIM);
    AccumulatorV2<byte[], byte[]> copy = ofTask.copy();
    ofTask.reset();
    assertArrayEquals(INTERIM, copy.value());
    assertTrue(ofTask.copyAndReset().isZero());
  }

  @Test
  public void textStaysShort() {
    ofTask.close(new byte[200_000]);
    assertEquals("ProfileAccumulator(200000 bytes)", ofTask.toString());
    assertTrue(ofTask.value().toString().length() < 30);
  }
}
