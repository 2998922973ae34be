package org.sparkmemprof.listener;

import java.util.ArrayDeque;
import java.util.Deque;

/** Texts from Spark in a bounded length. Pure functions. */
final class ErrorText {
  static final int MOST_CHARS = 2048;

  private static final String CAUSE = "\nCaused by: ";
  private static final int MOST_CAUSES = 4;
  private static final int MOST_CAUSE_CHARS = 256;

  private ErrorText() {}

  /** At most {@link #MOST_CHARS}, and "...". */
  static String shortened(String text) {
    return text.length() <= MOST_CHARS ? text : text.substring(0, MOST_CHARS) + "...";
  }

  /**
   * Likewise, with the first lines of the causes that were cut off, the last of them if there are
   * many: behind a long stack stands what went wrong.
   */
  static String withCauses(String text) {
    if (text.length() <= MOST_CHARS) {
      return text;
    }
    Deque<String> causes = new ArrayDeque<>();
    int at = text.indexOf(CAUSE, text.lastIndexOf('\n', MOST_CHARS));
    for (; at >= 0; at = text.indexOf(CAUSE, at + 1)) {
      int end = text.indexOf('\n', at + 1);
      int bound = Math.min(end < 0 ? text.length() : end, at + MOST_CAUSE_CHARS);
      causes.add(text.substring(at, bound));
      if (causes.size() > MOST_CAUSES) {
        causes.remove();
      }
    }
    return shortened(text) + String.join("", causes);
  }
}
