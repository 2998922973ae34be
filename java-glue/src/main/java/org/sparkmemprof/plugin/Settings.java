package org.sparkmemprof.plugin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/** The {@code spark.memprof.*} settings that Java itself needs. Immutable. */
final class Settings {
  private static final String PREFIX = "spark.memprof.";
  private static final long MOST_SECONDS = 3600;
  private static final int MOST_PATIENCE = 60;

  final boolean enabled;
  final boolean pythonEnabled;
  final boolean uiEnabled;
  final boolean eventLogEnabled;
  final boolean driverEnabled;

  /** Bytes between two samples in Python workers. */
  final long pythonIntervalBytes;

  /** How much of the user's Python source code may leave the executor. */
  enum Source {
    LINES,
    NAMES,
    NONE
  }

  final Source source;

  /** The report may have what the driver's Python held; its own profile knows no redaction. */
  final boolean showsDriversPython;

  /** Text of source lines also goes to shared file systems: {@code source=lines} was set. */
  final boolean sourceEverywhere;

  /**
   * {@code default}: Arrow's own choice; {@code system}: malloc, so that its buffers show on their
   * lines.
   */
  final String arrowPool;

  /** Null: not given. */
  final String boxDirectory;

  /** Null: not given. */
  final String reportDirectory;

  /** Native memory of the driver's profile store. */
  final long storeLimitBytes;

  /** Bound on one task's final profile. */
  final int taskMaxBytes;

  /** Between two interim profiles of a running task. */
  final long snapshotSeconds;

  /** Factor for the profiler's own time-outs, for a busy machine. */
  final int patience;

  /**
   * @throws IllegalArgumentException naming the setting that can't be read
   */
  Settings(SparkConf conf) {
    enabled = flag(conf, "enabled");
    pythonEnabled = flag(conf, "python.enabled");
    uiEnabled = flag(conf, "ui.enabled");
    eventLogEnabled = flag(conf, "eventLog.enabled");
    driverEnabled = flag(conf, "driver.enabled");
    pythonIntervalBytes = size(conf, "python.interval", "64k", 1, 1 << 30, "1 to 1g");
    source = source(conf.get(PREFIX + "source", "lines").trim());
    sourceEverywhere = source == Source.LINES && conf.contains(PREFIX + "source");
    showsDriversPython =
        pythonEnabled && source == Source.LINES && !conf.contains("spark.redaction.regex");
    arrowPool = conf.get(PREFIX + "python.arrowPool", "default").trim();
    if (!Arrays.asList("default", "system").contains(arrowPool)) {
      throw new IllegalArgumentException(
          PREFIX + "python.arrowPool=" + arrowPool + ": want default or system");
    }
    boxDirectory = text(conf, "box.dir");
    reportDirectory = text(conf, "report.dir");
    storeLimitBytes = size(conf, "store.limit", "64m", 1 << 20, Long.MAX_VALUE, "1m or more");
    taskMaxBytes = (int) size(conf, "task.maxBytes", "64k", 1 << 10, 256 << 10, "1k to 256k");
    snapshotSeconds = seconds(conf, "snapshot.seconds", 5);
    patience = patience(conf);
  }

  /**
   * Every {@code spark.memprof.X=value} as {@code X=value}, for the agent; and Spark's own
   * redaction.
   */
  static String[] agentOptions(SparkConf conf) {
    List<String> options = new ArrayList<>();
    for (Tuple2<String, String> entry : conf.getAll()) {
      if (entry._1().startsWith(PREFIX)) {
        options.add(entry._1().substring(PREFIX.length()) + "=" + entry._2());
      }
    }
    if (conf.contains("spark.redaction.regex")) {
      options.add("spark.redaction.regex=" + conf.get("spark.redaction.regex"));
    }
    return options.toArray(new String[0]);
  }

  private static Source source(String value) {
    for (Source each : Source.values()) {
      if (each.name().toLowerCase(Locale.ROOT).equals(value)) {
        return each;
      }
    }
    throw new IllegalArgumentException(PREFIX + "source=" + value + ": want lines, names or none");
  }

  private static String text(SparkConf conf, String key) {
    String value = conf.get(PREFIX + key, "").trim();
    return value.isEmpty() ? null : value;
  }

  private static boolean flag(SparkConf conf, String key) {
    String value = conf.get(PREFIX + key, "true").trim();
    boolean isTrue = value.equalsIgnoreCase("true");
    if (!isTrue && !value.equalsIgnoreCase("false")) {
      throw new IllegalArgumentException(PREFIX + key + "=" + value + ": want true or false");
    }
    return isTrue;
  }

  /** The agent has the same ranges (options.cc). */
  private static long size(
      SparkConf conf, String key, String fallback, long least, long most, String range) {
    String told = PREFIX + key + "=" + conf.get(PREFIX + key, fallback);
    long bytes;
    try {
      bytes = conf.getSizeAsBytes(PREFIX + key, fallback);
    } catch (RuntimeException unreadable) {
      throw new IllegalArgumentException(told + " is no size: want e.g. 512k or 64m", unreadable);
    }
    if (bytes < least || bytes > most) {
      throw new IllegalArgumentException(told + ": want " + range);
    }
    return bytes;
  }

  private static int patience(SparkConf conf) {
    String value = conf.get(PREFIX + "patience", "1").trim();
    try {
      int factor = Integer.parseInt(value);
      if (factor >= 1 && factor <= MOST_PATIENCE) {
        return factor;
      }
    } catch (NumberFormatException unreadable) {
      // Told below, with the key.
    }
    throw new IllegalArgumentException(
        PREFIX + "patience=" + value + ": want a whole number from 1 to " + MOST_PATIENCE);
  }

  private static long seconds(SparkConf conf, String key, long fallback) {
    String value = conf.get(PREFIX + key, Long.toString(fallback)).trim();
    try {
      long number = Long.parseLong(value);
      if (number > 0 && number <= MOST_SECONDS) {
        return number;
      }
    } catch (NumberFormatException unreadable) {
      // Told below, with the key.
    }
    throw new IllegalArgumentException(
        PREFIX + key + "=" + value + ": want whole seconds, 1 to " + MOST_SECONDS);
  }
}
