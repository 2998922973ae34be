package org.sparkmemprof.listener;

import java.lang.reflect.InvocationTargetException;
import java.util.NoSuchElementException;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.report.StoreFeeder;

/**
 * A setting of Spark SQL whose default differs between Spark's versions. It is told when the first
 * query begins, because Spark SQL's classes have been loaded by then.
 *
 * <p>Used by the listener's thread only.
 */
final class SqlDefaults {
  /** Of Arrow's batches; Spark 3.5 has no such bound. */
  static final String BYTES_PER_BATCH = "spark.sql.execution.arrow.maxBytesPerBatch";

  private boolean told;

  void tellAtFirst(SparkListenerEvent event, SparkConf conf, StoreFeeder feeder)
      throws ReflectiveOperationException {
    if (told || !DriverJobs.QUERY_STARTED.equals(event.getClass().getName())) {
      return;
    }
    told = true;
    if (conf.contains(BYTES_PER_BATCH)) {
      return;
    }
    String[] entry = {BYTES_PER_BATCH, of(event.getClass().getClassLoader(), BYTES_PER_BATCH)};
    if (entry[1] != null) {
      feeder.event(feed -> NativeFeed.configuration(feed, entry));
    }
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
