package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;

import org.junit.Test;
import scala.Option;

public class ReportDirectoryTest {
  private static String nameOf(String attempt) {
    return ReportDirectory.nameOf("application_17_0001", Option.apply(attempt));
  }

  @Test
  public void aLaterAttemptOfYarnsReplacesNothingOfTheFirst() {
    assertEquals("application_17_0001", nameOf(null));
    assertEquals("application_17_0001", nameOf("1"));
    assertEquals("application_17_0001_2", nameOf("2"));
    assertEquals("application_17_0001", nameOf("../2"));
  }
}
