package org.sparkmemprof.plugin;

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
  private static final Pattern CELL = Pattern.compile(".*/ipykernel_\\d+/.*"); // no file
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
      sources.submittedScript(script);
    }
    return place -> {
      Matcher matcher = PLACE.matcher(place);
      if (matcher.matches() && !CELL.matcher(matcher.group(1)).matches()) {
        sources.namedScript(matcher.group(1));
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
    for (int i = 1; i < words.length; i++) {
      if (words[i].endsWith(".py") && !takesValue(words[i - 1])) {
        return words[i].replaceFirst("^(file|local):/+", "/");
      }
    }
    return null;
  }

  /** As {@code --py-files} and {@code --files} do. */
  private static boolean takesValue(String word) {
    return word.startsWith("--") && !word.equals("--verbose") && !word.equals("--supervise");
  }
}
