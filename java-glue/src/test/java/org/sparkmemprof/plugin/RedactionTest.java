package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.junit.Test;

public class RedactionTest {
  @Test
  public void keysAndValuesThatLookLikeSecretsAreBlanked() {
    Redaction redaction = new Redaction(null);
    assertEquals(Redaction.REDACTED, redaction.apply("spark.hadoop.fs.s3a.secret.key", "abc"));
    assertEquals(Redaction.REDACTED, redaction.apply("spark.hadoop.fs.s3a.access.key", "abc"));
    assertEquals(
        Redaction.REDACTED, redaction.apply("spark.driver.extraJavaOptions", "-Dpassword=abc"));
    assertEquals("2g", redaction.apply("spark.executor.memory", "2g"));
  }

  @Test
  public void usersExpressionCounts() {
    Redaction redaction = new Redaction("(?i)colour");
    assertEquals(Redaction.REDACTED, redaction.apply("spark.Colour", "red"));
    assertEquals("abc", redaction.apply("spark.secret", "abc"));
  }

  @Test
  public void expressionThatCannotBeReadIsNoReasonToTellSecrets() {
    assertEquals(Redaction.REDACTED, new Redaction("((").apply("spark.secret", "abc"));
  }

  @Test
  public void entriesLeaveOutSparksChannelToPlugins() {
    SparkConf conf = new SparkConf(false);
    conf.set("spark.plugins.internal.conf.x", "long").set("spark.my.token", "abc");
    assertEquals(
        Arrays.asList("spark.my.token", Redaction.REDACTED),
        Arrays.asList(Redaction.entries(conf)));
  }
}
