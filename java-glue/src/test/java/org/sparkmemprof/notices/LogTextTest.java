package org.sparkmemprof.notices;

import static org.junit.Assert.assertEquals;

import java.nio.charset.Charset;
import org.junit.Test;

public class LogTextTest {
  @Test
  public void whatTheLogCantWriteIsWrittenPlainly() {
    String text = "app · 17 × 3.1 MiB ± 2 │ └ a › b → c … ███▌▏··";
    String before = System.setProperty("sun.stderr.encoding", "US-ASCII");
    try {
      assertEquals("app - 17 x 3.1 MiB +/- 2 | ` a > b -> c ... ####---", LogText.of(text));
      System.setProperty("sun.stderr.encoding", "no such encoding");
      assertEquals("app - 17 x 3.1 MiB +/- 2 | ` a > b -> c ... ####---", LogText.of(text));
      System.setProperty("sun.stderr.encoding", "UTF-8");
      System.setProperty("stderr.encoding", "UTF-8");
      String shown = LogText.of(text);
      boolean utf8 = Charset.defaultCharset().name().equals("UTF-8");
      assertEquals(utf8 ? text : LogText.inAscii(text), shown);
    } finally {
      System.clearProperty("stderr.encoding");
      if (before == null) {
        System.clearProperty("sun.stderr.encoding");
      } else {
        System.setProperty("sun.stderr.encoding", before);
      }
    }
  }

  @Test
  public void everyCharacterOfTheViewsHasAPlainForm() {
    String all = "█▉▊▋▌▍▎▏·–│└×›→…±";
    assertEquals(-1, LogText.inAscii(all).chars().filter(c -> c > 127).findFirst().orElse(-1));
  }
}
