package org.sparkmemprof.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/** Blanks secrets in the configuration, by the same rule as Spark's own pages. */
final class Redaction {
  static final String REDACTED = "*********(redacted)";

  /**
   * What the newest Sparks hide by default, and keys of interfaces (source_lines.h has the same).
   */
  private static final String DEFAULT =
      "(?i)secret|password|token|access[.]?key|api[.]?key|credential";

  private final Pattern secret;

  Redaction(String regex) {
    Pattern pattern;
    try {
      pattern = Pattern.compile(regex == null ? DEFAULT : regex);
    } catch (PatternSyntaxException unreadable) {
      pattern = Pattern.compile(DEFAULT);
    }
    secret = pattern;
  }

  /** All {@code spark.*} entries: key, value, key, value, ... */
  static String[] entries(SparkConf conf) {
    Redaction redaction = new Redaction(conf.get("spark.redaction.regex", null));
    List<String> entries = new ArrayList<>();
    for (Tuple2<String, String> entry : conf.getAll()) {
      // Spark's own channel to plugins: long, and of no use to a reader.
      if (!entry._1().startsWith("spark.plugins.internal.")) {
        entries.add(entry._1());
        entries.add(redaction.apply(entry._1(), entry._2()));
      }
    }
    return entries.toArray(new String[0]);
  }

  /** The value, or {@link #REDACTED} when the key or the value looks like a secret. */
  String apply(String key, String value) {
    boolean hide = secret.matcher(key).find() || secret.matcher(value).find();
    return hide ? REDACTED : value;
  }
}
