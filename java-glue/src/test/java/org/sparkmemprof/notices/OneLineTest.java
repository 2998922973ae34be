package org.sparkmemprof.notices;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OneLineTest {
  private static final String ELEPHANT = "\ud83d\udc18"; // one character of two UTF-16 units

  @Test
  public void plainTextStaysAsItIs() {
    assertEquals("café " + ELEPHANT, OneLine.of("café " + ELEPHANT, 7));
    assertEquals("", OneLine.of("", 2));
    assertEquals("null", OneLine.of(null, 10));
  }

  @Test
  public void lineBreaksAndControlCharactersBecomeSpaces() {
    assertEquals("a  b c d e f g h", OneLine.of("a\r\nb\tc\0d\u001be\u0085f\u2028g\u2029h", 80));
  }

  @Test
  public void longTextIsCut() {
    assertEquals("abcd", OneLine.of("abcd", 4));
    assertEquals("abc…", OneLine.of("abcde", 4));
  }

  @Test
  public void cutSplitsNoCharacter() {
    assertEquals("ab…", OneLine.of("ab" + ELEPHANT + "cd", 4));
    assertEquals("a" + ELEPHANT + "…", OneLine.of("a" + ELEPHANT + "cd", 4));
  }
}
