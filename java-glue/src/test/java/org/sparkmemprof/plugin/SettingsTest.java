package org.sparkmemprof.plugin;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.apache.spark.SparkConf;
import org.junit.Test;

public class SettingsTest {
  private static SparkConf with(String key, String value) {
    return new SparkConf(false).set("spark.memprof." + key, value);
  }

  @Test
  public void defaults() {
    Settings settings = new Settings(new SparkConf(false));
    assertTrue(settings.enabled);
    assertTrue(settings.pythonEnabled);
    assertEquals(64 << 10, settings.pythonIntervalBytes);
    assertFalse(settings.sourceEverywhere);
    assertTrue(settings.showsDriversPython);
    assertEquals("default", settings.arrowPool);
    assertNull(settings.boxDirectory);
    assertNull(settings.reportDirectory);
    assertEquals(64 << 20, settings.storeLimitBytes);
    assertEquals(64 << 10, settings.taskMaxBytes);
    assertEquals(5, settings.snapshotSeconds);
  }

  @Test
  public void values() {
    assertFalse(new Settings(with("enabled", "false")).enabled);
    assertFalse("as Python writes it", new Settings(with("enabled", "False")).enabled);
    assertTrue(new Settings(with("enabled", "True")).enabled);
    assertEquals(1 << 30, new Settings(with("store.limit", "1g")).storeLimitBytes);
    assertEquals(1, new Settings(with("python.interval", "1")).pythonIntervalBytes);
    assertEquals(1 << 30, new Settings(with("python.interval", "1g")).pythonIntervalBytes);
    assertEquals("system", new Settings(with("python.arrowPool", "system")).arrowPool);
    assertTrue(new Settings(with("source", "lines")).sourceEverywhere);
    assertFalse(new Settings(with("source", "names")).sourceEverywhere);
    assertFalse(new Settings(with("source", "names")).showsDriversPython);
    assertFalse(new Settings(with("python.enabled", "false")).showsDriversPython);
    SparkConf redacted = with("source", "lines").set("spark.redaction.regex", "token");
    assertFalse(new Settings(redacted).showsDriversPython);
    assertEquals("hdfs://x/y", new Settings(with("report.dir", "hdfs://x/y")).reportDirectory);
    assertEquals(256 << 10, new Settings(with("task.maxBytes", "256k")).taskMaxBytes);
  }

  @Test
  public void valueThatCannotBeReadIsNamedWithItsKey() {
    String[][] wrong = {
      {"enabled", "maybe"},
      {"python.enabled", "1"},
      {"store.limit", "lots"},
      {"store.limit", "0"},
      {"store.limit", "1023k"},
      {"task.maxBytes", "257k"},
      {"task.maxBytes", "1023"},
      {"snapshot.seconds", "3601"},
      {"python.interval", "-4k"},
      {"python.interval", "0"},
      {"python.interval", "1025m"},
      {"snapshot.seconds", "0"},
      {"patience", "0"},
      {"patience", "61"},
      {"patience", "much"},
      {"snapshot.seconds", "5s"},
      {"source", "everything"},
      {"python.arrowPool", "jemalloc"},
    };
    for (String[] entry : wrong) {
      String told =
          assertThrows(IllegalArgumentException.class, () -> new Settings(with(entry[0], entry[1])))
              .getMessage();
      assertTrue(told, told.startsWith("spark.memprof." + entry[0] + "=" + entry[1]));
    }
  }

  @Test
  public void agentGetsEveryOptionWithoutThePrefix() {
    SparkConf conf = with("interval", "1m").set("spark.executor.memory", "2g");
    assertArrayEquals(new String[] {"interval=1m"}, Settings.agentOptions(conf));
    conf.set("spark.redaction.regex", "(?i)pin");
    assertEquals(
        "its redaction is Spark's",
        "spark.redaction.regex=(?i)pin",
        Settings.agentOptions(conf)[1]);
  }
}
