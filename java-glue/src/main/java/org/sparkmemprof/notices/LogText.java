package org.sparkmemprof.notices;

import java.nio.charset.Charset;
import java.util.Arrays;

/**
 * Texts with typographic characters (arrows, bars, dots) for a log whose encoding may lack them: a
 * container often has no locale, and then Java writes a question mark for each. Thread-safe.
 */
public final class LogText {
  // What stands for what; bars keep their width.
  private static final String[][] PLAIN = {
    {"█", "#"},
    {"▉", "#"},
    {"▊", "#"},
    {"▋", "#"},
    {"▌", "#"},
    {"▍", "-"},
    {"▎", "-"},
    {"▏", "-"},
    {"·", "-"},
    {"–", "-"},
    {"│", "|"},
    {"└", "`"},
    {"×", "x"},
    {"›", ">"},
    {"→", "->"},
    {"…", "..."},
    {"±", "+/-"},
  };

  private LogText() {}

  /** The text as the log of this JVM can write it. */
  public static String of(String text) {
    for (String property : Arrays.asList("sun.stderr.encoding", "stderr.encoding")) {
      String name = System.getProperty(property);
      if (name != null && !canWrite(name)) {
        return inAscii(text);
      }
    }
    return canWrite(Charset.defaultCharset().name()) ? text : inAscii(text);
  }

  static String inAscii(String text) {
    for (String[] pair : PLAIN) {
      text = text.replace(pair[0], pair[1]);
    }
    return text;
  }

  private static boolean canWrite(String charset) {
    try {
      return Charset.forName(charset).newEncoder().canEncode("█·→…›");
    } catch (IllegalArgumentException | UnsupportedOperationException unknown) {
      return false;
    }
  }
}
