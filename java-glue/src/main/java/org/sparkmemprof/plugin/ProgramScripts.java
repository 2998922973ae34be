package org.sparkmemprof.plugin;

import java.nio.file.Paths;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Python files of the program that this JVM is the driver of: the script that spark-submit was
 * given, and those that its jobs were asked for in. A JVM that serves others' programs (Spark
 * Connect) has none: what a client calls a place is no file that it may see.
 */
final class ProgramScripts {
  private static final Pattern PLACE = Pattern.compile(".* at (/.*\\.py):\\d+");
  private static final String SUBMIT = "org.apache.spark.deploy.SparkSubmit";
  private static final String SHELL = "pyspark-shell"; // Python started this JVM

  private final DriverSources sources;

  ProgramScripts(DriverSources sources) {
    this.sources = sources;
  }

  /**
   * @return takes the places that jobs were asked for, {@code "collect at /jobs/job.py:30"}
   */
  Consumer<String> start() {
    String command = System.getProperty("sun.java.command", "");
    String script = scriptOf(command);
    if (script == null && !isOfPython(command)) {
      return place -> {};
    }
    if (script != null) {
      // As Python does with its first argument.
      sources.script(Paths.get(System.getProperty("user.dir", "/")).resolve(script).toString());
    }
    return place -> {
      Matcher matcher = PLACE.matcher(place);
      if (matcher.matches()) {
        sources.script(matcher.group(1));
      }
    };
  }

  private static boolean isOfPython(String command) {
    return command.startsWith(SUBMIT) && command.endsWith(" " + SHELL);
  }

  /** The first word that names a Python file and is no option's value; null: there is none. */
  static String scriptOf(String command) {
    String[] words = command.split(" ");
    if (!words[0].equals(SUBMIT)) {
      return null;
    }
    return Arrays.stream(words, 1, words.length)
        .filter(word -> word.endsWith(".py") && !isValue(word, words))
        .findFirst()
        .orElse(null);
  }

  /** spark-submit takes {@code --py-files} and {@code --files} with names of Python files. */
  private static boolean isValue(String word, String[] words) {
    String before = words[Arrays.asList(words).indexOf(word) - 1];
    return before.startsWith("--") && !before.equals("--verbose") && !before.equals("--supervise");
  }
}
