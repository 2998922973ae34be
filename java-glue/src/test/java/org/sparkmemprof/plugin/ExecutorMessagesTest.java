package org.sparkmemprof.plugin;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.Before;
import org.junit.Test;

public class ExecutorMessagesTest {
  private static final int MOST = ExecutorMessages.MOST_EXECUTORS;

  private final List<byte[]> profiles = new ArrayList<>();
  private final List<String> report = new ArrayList<>();
  private final Set<String> known = new HashSet<>(Arrays.asList("7", "8"));
  private final DriverNotices notices = new DriverNotices();
  private final ExecutorMessages messages =
      new ExecutorMessages(profiles::add, known::contains, notices);

  @Before
  public void attach() {
    notices.attach((what, why) -> report.add(what + ": " + why));
  }

  private void receive(String... message) {
    messages.receive(message);
  }

  @Test
  public void profilesGoToTheStore() {
    byte[] profile = {1, 2};
    messages.receive(profile);
    assertEquals(1, profiles.size());
    assertArrayEquals(profile, profiles.get(0));
  }

  @Test
  public void noticesAreTold() {
    receive(Messages.notice("a part", "executor 7 on host: broken"));
    receive(Messages.notice("a part", "executor 8 on host: broken"));
    assertEquals(Collections.singletonList("a part: executor 7 on host: broken"), report);
  }

  @Test
  public void messagesThatCouldNotBeSentAreInTheReport() {
    receive(Messages.stopped("7", 3));
    receive(Messages.stopped("8", 0));
    assertEquals(
        Collections.singletonList("messages of executors: executor 7: 3 could not be sent"),
        report);
  }

  @Test
  public void itIsOverWhenAllThatAreKnownHaveStopped() {
    assertTrue(messages.areOver());
    receive(Messages.started("7"));
    receive(Messages.started("8"));
    receive(Messages.started("9")); // which Spark doesn't know
    assertFalse(messages.areOver());
    receive(Messages.stopped("7", 0));
    assertFalse(messages.areOver());
    known.remove("8"); // it died
    assertTrue(messages.areOver());
  }

  @Test
  public void whatIsNotUnderstoodIsIgnored() {
    String[][] strange = {
      {},
      {null},
      {null, "7", "3"},
      {"notice"},
      {"notice", "a part"},
      {"notice", null, "why"},
      {"notice", "a part", null},
      {"started"},
      {"started", null},
      {"stopped"},
      {"stopped", null, "3"},
      {"stopped", "7"},
      {"stopped", "7", null},
      {"stopped", "7", "many"},
      {"stopped", "7", "-3"},
      {"stopped", "7", "99999999999999999999"},
      {"flown", "7", "3"},
    };
    for (String[] message : strange) {
      receive(message);
    }
    messages.receive(null);
    messages.receive(3);
    messages.receive(new Object[] {"notice", "a part", "why"});
    assertEquals(Collections.emptyList(), report);
    assertEquals(Collections.emptyList(), profiles);
    assertTrue(messages.areOver());
  }

  @Test
  public void laterVersionsMayAddFields() {
    receive("notice", "a part", "why", null, "more");
    receive("started", "7", "more");
    assertEquals(Collections.singletonList("a part: why"), report);
    assertFalse(messages.areOver());
    receive("stopped", "7", "no number");
    assertTrue("it has stopped nevertheless", messages.areOver());
  }

  @Test
  public void namesOfExecutorsAreShort() {
    String longest = String.join("", Collections.nCopies(1_000, "executor\n"));
    known.add(longest);
    receive("started", longest);
    assertTrue("it is not kept", messages.areOver());
    receive("stopped", longest, "3");
    String line = report.get(0);
    assertTrue(line, line.length() < 300);
    assertTrue(line, line.endsWith("…: 3 could not be sent"));
    assertFalse(line, line.contains("\n"));
  }

  @Test
  public void executorsAreBounded() {
    for (int i = 0; i <= MOST; i++) {
      known.add("executor " + i);
      receive(Messages.started("executor " + i));
    }
    for (int i = 0; i < MOST; i++) {
      assertFalse(messages.areOver());
      receive(Messages.stopped("executor " + i, 0));
    }
    assertTrue("one too many was not kept", messages.areOver());
  }

  @Test
  public void executorsThatDiedMakeRoom() {
    for (int i = 0; i < MOST; i++) {
      receive(Messages.started("dead executor " + i));
    }
    receive(Messages.started("7"));
    assertFalse(messages.areOver());
  }
}
