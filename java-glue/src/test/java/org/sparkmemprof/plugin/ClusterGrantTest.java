package org.sparkmemprof.plugin;

import static org.junit.Assert.assertArrayEquals;

import org.junit.Test;

/** Of Hadoop's configuration only its answers: the tests run without Hadoop's own libraries. */
public class ClusterGrantTest {
  private static final String LARGEST = "yarn.scheduler.maximum-allocation-mb";
  private static final String[] ENTRIES = {"spark.app.name", "job"};

  private static String[] added(String value, String... sources) {
    return ClusterGrant.added(
        key -> key.equals(LARGEST) ? value : null,
        key -> key.equals(LARGEST) ? sources : null,
        ENTRIES);
  }

  @Test
  public void whatTheClustersFilesSayIsAdded() {
    String[] all = {"spark.app.name", "job", LARGEST, "9001"};
    assertArrayEquals(all, added(" 9001 ", "yarn-site.xml"));
    assertArrayEquals(all, added("9001", "yarn-site.xml", "__spark_hadoop_conf__.xml"));
  }

  @Test
  public void howItRoundsIsAdded() {
    String[] keys = {
      "yarn.scheduler.minimum-allocation-mb",
      "yarn.scheduler.increment-allocation-mb",
      "yarn.resourcemanager.scheduler.class"
    };
    for (String key : keys) {
      String[] all =
          ClusterGrant.added(
              asked -> asked.equals(key) ? "some" : null,
              asked -> new String[] {"yarn-site.xml"},
              ENTRIES);
      assertArrayEquals(new String[] {"spark.app.name", "job", key, "some"}, all);
    }
  }

  @Test
  public void defaultsOfHadoopAreNotTheClusters() {
    assertArrayEquals(ENTRIES, added("8192", "yarn-default.xml"));
    // Spark hands YARN's application master all of the client's, defaults included.
    assertArrayEquals(ENTRIES, added("8192", "yarn-default.xml", "__spark_hadoop_conf__.xml"));
    assertArrayEquals(ENTRIES, added(null, (String[]) null));
    assertArrayEquals(ENTRIES, added("8192", (String[]) null));
  }
}
