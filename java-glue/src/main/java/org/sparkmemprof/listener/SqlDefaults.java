package org.sparkmemprof.listener;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Properties;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.report.StoreFeeder;

/**
 * Settings of Spark SQL whose defaults differ between Spark's versions. They are told when the
 * first query begins, because Spark SQL's classes have been loaded by then.
 *
 * <p>Used by the listener's thread only.
 */
final class SqlDefaults {
  /** Of Arrow's batches; Spark 3.5 has no such bound. */
  static final String BYTES_PER_BATCH = "spark.sql.execution.arrow.maxBytesPerBatch";

  /** Whether toPandas collects by Arrow: from Spark 4.2 on. */
  static final String ARROW_FOR_PYSPARK = "spark.sql.execution.arrow.pyspark.enabled";

  private static final String ARROW_ONCE = "spark.sql.execution.arrow.enabled"; // Spark 2's name

  private boolean told;

  void tellAtFirst(SparkListenerEvent event, SparkConf conf, StoreFeeder feeder)
      throws ReflectiveOperationException {
    if (told || !DriverJobs.QUERY_STARTED.equals(event.getClass().getName())) {
      return;
    }
    told = true;
    List<String> entries = new ArrayList<>();
    for (String key : new String[] {BYTES_PER_BATCH, ARROW_FOR_PYSPARK}) {
      boolean isSet =
          conf.contains(key) || key.equals(ARROW_FOR_PYSPARK) && conf.contains(ARROW_ONCE);
      String standard = isSet ? null : of(event.getClass().getClassLoader(), key);
      if (standard != null) {
        entries.add(key);
        entries.add(standard);
      }
    }
    if (!entries.isEmpty()) {
      String[] pairs = entries.toArray(new String[0]);
      feeder.event(feed -> NativeFeed.configuration(feed, pairs));
    }
  }

  /** What Spark takes where a session has set only the setting's old name; null: it hasn't. */
  static String byOldName(String key, Properties settings) {
    return key.equals(ARROW_FOR_PYSPARK) ? settings.getProperty(ARROW_ONCE) : null;
  }

  /** Null: this Spark doesn't know the setting. */
  static String of(ClassLoader spark, String key) throws ReflectiveOperationException {
    Class<?> type = Class.forName("org.apache.spark.sql.internal.SQLConf", true, spark);
    Object defaults = type.getConstructor().newInstance();
    try {
      return (String) type.getMethod("getConfString", String.class).invoke(defaults, key);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof NoSuchElementException) {
        return null;
      }
      throw e;
    }
  }
}
