package org.sparkmemprof.plugin;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

public class DriverLinkTest {
  private static final int PATIENCE = 30;
  private static final String PAUSE = "pause";

  /** Fails at some of the messages. */
  private interface Fault {
    void at(String message) throws IOException;
  }

  private final BlockingQueue<byte[]> agent = new LinkedBlockingQueue<>();
  private final List<String> steps = Collections.synchronizedList(new ArrayList<>());
  private final List<String> sent = Collections.synchronizedList(new ArrayList<>());
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch lastSent = new CountDownLatch(1);
  private final CountDownLatch stoppedSent = new CountDownLatch(1);

  private DriverLink link(Fault fault) {
    return new DriverLink(
        millis -> agent.poll(),
        message -> {
          String text =
              message instanceof byte[]
                  ? new String((byte[]) message)
                  : String.join(" ", (String[]) message);
          steps.add(text);
          fault.at(text);
          sent.add(text);
          if (text.equals("last")) {
            lastSent.countDown();
          }
          if (text.startsWith("stopped ")) {
            stoppedSent.countDown();
          }
        },
        "7",
        PATIENCE,
        (what, why) -> told.add(what + ": " + why),
        nanos -> steps.add(PAUSE));
  }

  private void queue(String... messages) {
    for (String message : messages) {
      agent.add(message.getBytes());
    }
  }

  private void runToTheEnd(Fault fault) throws InterruptedException {
    DriverLink link = link(fault);
    assertTrue("the last message is sent", lastSent.await(60, TimeUnit.SECONDS));
    link.close();
  }

  private void demandSent(String... messages) {
    assertArrayEquals(messages, sent.toArray());
  }

  private void demandPauseAfterEach(String message, int tries) {
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i).equals(message)) {
        assertEquals(PAUSE, steps.get(i + 1));
      }
    }
    assertEquals(tries, Collections.frequency(steps, message));
  }

  @Test
  public void messageThatFailsIsDroppedAndTheNextIsSent() throws InterruptedException {
    queue("first", "bad", "worse", "last");
    runToTheEnd(
        message -> {
          if (message.equals("bad")) {
            throw new IllegalStateException("not now");
          }
          if (message.equals("worse")) {
            throw new IOException("nor now");
          }
        });
    demandSent("started 7", "first", "last", "stopped 7 2");
    demandPauseAfterEach("bad", 1);
    demandPauseAfterEach("worse", 1);
  }

  @Test
  public void manyFailuresAreOneWarning() throws InterruptedException {
    String[] bad = new String[50];
    Arrays.fill(bad, "bad");
    queue(bad);
    queue("last");
    runToTheEnd(
        message -> {
          if (message.equals("bad")) {
            throw new IllegalStateException("not now");
          }
        });
    demandSent("started 7", "last", "stopped 7 50");
    assertEquals(told.toString(), 1, told.size());
    assertTrue(told.get(0), told.get(0).contains("not now"));
  }

  @Test
  public void fullHeapIsTriedAgainAfterAPause() throws InterruptedException {
    queue("large", "last");
    runToTheEnd(
        message -> {
          if (message.equals("large")
              && Collections.frequency(steps, message) < DriverLink.MOST_TRIES) {
            throw new OutOfMemoryError("full");
          }
        });
    demandSent("started 7", "large", "last", "stopped 7 0");
    assertEquals(DriverLink.MOST_TRIES - 1, Collections.frequency(steps, PAUSE));
    assertEquals(Collections.emptyList(), told);
  }

  @Test
  public void messageTooLargeForTheHeapDoesNotEndTheLink() throws InterruptedException {
    queue("large", "last");
    runToTheEnd(
        message -> {
          if (message.equals("large")) {
            throw new OutOfMemoryError("full");
          }
        });
    demandSent("started 7", "last", "stopped 7 1");
    demandPauseAfterEach("large", DriverLink.MOST_TRIES);
    assertEquals(told.toString(), 1, told.size());
  }

  @Test
  public void agentThatHasStoppedIsNotAskedUntilTheEnd() throws InterruptedException {
    queue("first");
    DriverLink link = link(message -> {});
    queue("last");
    link.finish();
    assertTrue("nobody waits for it", stoppedSent.await(60, TimeUnit.SECONDS));
    demandSent("started 7", "first", "last", "stopped 7 0");
    link.close();
    demandSent("started 7", "first", "last", "stopped 7 0");
  }

  @Test
  public void driverThatIsGoneIsTriedThreeTimesAtTheEnd() throws InterruptedException {
    queue("news", "news", "news", "news", "news");
    CountDownLatch closing = new CountDownLatch(1);
    DriverLink link =
        link(
            message -> {
              if (message.equals("started 7")) {
                await(closing);
              } else {
                throw new IOException("gone");
              }
            });
    Thread closer = new Thread(() -> close(link));
    closer.start();
    while (closer.getState() != Thread.State.TIMED_WAITING) { // it waits for the link
      Thread.yield();
    }
    closing.countDown();
    closer.join();
    assertEquals(3, Collections.frequency(steps, "news"));
    assertEquals(Collections.emptyList(), told);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void close(DriverLink link) {
    try {
      link.close();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
