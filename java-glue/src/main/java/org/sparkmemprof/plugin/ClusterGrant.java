package org.sparkmemprof.plugin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkContext;

/**
 * The most that the cluster can grant, and how it rounds what is asked for, as far as the driver's
 * Hadoop configuration says so.
 */
final class ClusterGrant {
  private static final List<String> KEYS =
      Collections.unmodifiableList(
          Arrays.asList(
              "yarn.scheduler.maximum-allocation-mb",
              "yarn.nodemanager.resource.memory-mb",
              "yarn.scheduler.minimum-allocation-mb",
              "yarn.scheduler.increment-allocation-mb",
              "yarn.resourcemanager.scheduler.class"));

  private ClusterGrant() {}

  /** The entries, and those of YARN's bounds behind them; on other clusters just the entries. */
  static String[] added(SparkContext sc, String[] entries) {
    if (!sc.master().startsWith("yarn")) {
      return entries;
    }
    try {
      Configuration hadoop = sc.hadoopConfiguration();
      return added(hadoop::get, hadoop::getPropertySources, entries);
    } catch (RuntimeException | LinkageError unreadable) {
      return entries; // advice goes without it
    }
  }

  /**
   * Hadoop's own defaults say nothing about a cluster.
   *
   * @param values of a setting; null for one that is not set
   * @param sources where a setting's value comes from, its origin first; null where that is not
   *     known
   */
  static String[] added(
      UnaryOperator<String> values, Function<String, String[]> sources, String[] entries) {
    List<String> all = new ArrayList<>(Arrays.asList(entries));
    for (String key : KEYS) {
      String value = values.apply(key);
      String[] from = sources.apply(key);
      if (value == null || from == null || isDefault(from)) {
        continue;
      }
      all.add(key);
      all.add(value.trim());
    }
    return all.toArray(new String[0]);
  }

  private static boolean isDefault(String[] sources) {
    return sources.length > 0 && sources[0].endsWith("-default.xml");
  }
}
