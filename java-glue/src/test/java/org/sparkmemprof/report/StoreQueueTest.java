package org.sparkmemprof.report;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public class StoreQueueTest {
  private static final long PAYLOAD = (1 << 20) - StoreQueue.ENTRY_BYTES;
  private static final int MESSAGES_THAT_FIT = (int) (StoreQueue.MOST_BYTES >> 20);
  private static final int EVENTS_THAT_FIT = (int) (StoreQueue.MOST_BYTES / StoreQueue.ENTRY_BYTES);

  private final StoreQueue queue = new StoreQueue();
  private final List<String> fed = new ArrayList<>();

  private void addMessage(String name) {
    queue.addMessage(PAYLOAD, store -> fed.add(name));
  }

  private void addEvent(String name) {
    queue.addEvent(store -> fed.add(name));
  }

  private void flood() {
    for (int i = 0; i < MESSAGES_THAT_FIT + 3; i++) {
      addMessage("message");
    }
  }

  private void feedAll() throws InterruptedException {
    while (!queue.isEmpty()) {
      StoreQueue.Entry entry = queue.take();
      entry.action.accept(1);
      entry.done();
    }
  }

  @Test
  public void floodOfMessagesDropsNoEvent() throws InterruptedException {
    flood();
    addEvent("executor removed");
    addEvent("application ended");
    assertEquals(3, queue.droppedMessages());
    assertEquals(0, queue.droppedEvents());
    feedAll();
    assertEquals(MESSAGES_THAT_FIT + 2, fed.size());
    assertEquals(
        Arrays.asList("executor removed", "application ended"),
        fed.subList(MESSAGES_THAT_FIT, fed.size()));
  }

  @Test
  public void whatStaysKeepsItsOrder() throws InterruptedException {
    addEvent("1");
    addMessage("2");
    addEvent("3");
    flood();
    addEvent("4");
    feedAll();
    assertEquals(Arrays.asList("1", "2", "3"), fed.subList(0, 3));
    assertEquals("4", fed.get(fed.size() - 1));
  }

  @Test
  public void eventsAreBoundedToo() throws InterruptedException {
    for (int i = 0; i < EVENTS_THAT_FIT + 5; i++) {
      addEvent("event");
    }
    addMessage("message");
    assertEquals(5, queue.droppedEvents());
    assertEquals(0, queue.droppedMessages());
    feedAll();
    assertEquals(EVENTS_THAT_FIT + 1, fed.size());
  }

  @Test
  public void entryIsQueuedUntilItIsDone() throws InterruptedException {
    assertTrue(queue.isEmpty());
    addEvent("event");
    StoreQueue.Entry entry = queue.take();
    assertFalse(queue.isEmpty());
    entry.done();
    assertTrue(queue.isEmpty());
  }

  @Test
  public void roomIsUsedAgain() throws InterruptedException {
    flood();
    feedAll();
    addMessage("later");
    assertEquals(3, queue.droppedMessages());
    feedAll();
    assertEquals("later", fed.get(fed.size() - 1));
  }
}
