package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PythonPackageTest {
  @Test
  public void stringsAreValidJson() {
    assertEquals("\"plain\"", PythonPackage.quoted("plain"));
    assertEquals("\"a \\\"b\\\" \\\\ c\"", PythonPackage.quoted("a \"b\" \\ c"));
    assertEquals("\"\\u000a\\u0000é\"", PythonPackage.quoted("\n\0é"));
  }
}
