package org.sparkmemprof.plugin;

import static org.junit.Assert.assertEquals;

import java.util.HashMap;
import java.util.Map;
import org.junit.Test;

public class SearchPathTest {
  private static final String VARIABLE = "PYTHONPATH";

  @Test
  public void entriesComeAndGoInEveryViewOfTheEnvironment() throws Exception {
    Map<String, String> before = new HashMap<>(System.getenv()); // fills the caches of the views
    String users = before.getOrDefault(VARIABLE, "");
    String tail = users.isEmpty() ? "" : ":" + users;
    SearchPath.prepend("/one");
    SearchPath.prepend("/two");
    assertEquals("/two:/one" + tail, System.getenv(VARIABLE));
    assertEquals("/two:/one" + tail, System.getenv().get(VARIABLE));
    assertEquals("/two:/one" + tail, new HashMap<>(System.getenv()).get(VARIABLE));
    assertEquals(
        "other children don't get it",
        before.get(VARIABLE),
        new ProcessBuilder("true").environment().get(VARIABLE));
    SearchPath.prepend("/one");
    assertEquals("no entry twice", "/one:/two" + tail, System.getenv(VARIABLE));
    SearchPath.remove("/nobody's");
    SearchPath.remove("/one");
    assertEquals("/two" + tail, System.getenv(VARIABLE));
    SearchPath.remove("/two");
    assertEquals(before, new HashMap<>(System.getenv()));
  }
}
