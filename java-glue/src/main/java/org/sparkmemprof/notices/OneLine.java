package org.sparkmemprof.notices;

/** Texts of others as one line of bounded length, for a log and for the report. */
public final class OneLine {
  private static final char CUT = '…';

  private OneLine() {}

  /**
   * Control characters and line breaks become spaces; a longer text ends with "…", and no character
   * is cut in two.
   *
   * @param mostChars of the result, UTF-16 units, at least 2
   */
  public static String of(String text, int mostChars) {
    String whole = String.valueOf(text);
    boolean cut = whole.length() > mostChars;
    int end = cut ? mostChars - 1 : whole.length();
    if (cut && Character.isHighSurrogate(whole.charAt(end - 1))) {
      end--;
    }
    StringBuilder line = new StringBuilder(end + 1);
    for (int i = 0; i < end; i++) {
      char c = whole.charAt(i);
      line.append(breaksLine(c) ? ' ' : c);
    }
    return (cut ? line.append(CUT) : line).toString();
  }

  private static boolean breaksLine(char c) {
    return Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
  }
}
