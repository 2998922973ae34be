package org.sparkmemprof.history;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.status.ElementTrackingStore;
import org.apache.spark.util.kvstore.InMemoryStore;
import org.junit.Test;
import org.sparkmemprof.report.ReportPart;

public class HistoryPluginTest {
  private static ReportPart part(String id, int chars) {
    ReportPart part = new ReportPart();
    part.part = "stage";
    part.id = id;
    part.schemaVersion = 1;
    char[] text = new char[chars];
    Arrays.fill(text, 'x');
    part.report = new String(text);
    return part;
  }

  @Test
  public void aPartThatIsTooLargeLeavesANoteBesideTheEarlierOne() throws Exception {
    ElementTrackingStore store =
        new ElementTrackingStore(new InMemoryStore(), new SparkConf(false));
    SparkListener keeper = new HistoryPlugin().createListeners(new SparkConf(false), store).head();
    keeper.onOtherEvent(part("7.0", 2 << 20));
    keeper.onOtherEvent(part("7.0", (2 << 20) + 1));
    assertEquals(2, store.count(StoredPart.class));
    StoredPart read = store.read(StoredPart.class, "stage/7.0");
    assertEquals(2 << 20, read.report.length());
    assertFalse(read.isRefused() || read.isLeftOut());
    StoredPart note = store.read(StoredPart.class, "refused/stage/7.0");
    assertTrue(note.isRefused());
    assertFalse(note.isLeftOut());
    store.close();
  }
}
