package org.sparkmemprof.ui;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.After;
import org.junit.Test;

/** With answers that need no native library: the tab says why it has nothing to show. */
public class PageServerTest {
  private static final int PLACES = 4;
  private static final int MOST_SLOW = 16;
  private static final long PATIENCE = 1_000; // nanoseconds, of the test's own clock, too
  private static final String ANSWER = "There is no profile.\n";
  private static final String TRY_AGAIN =
      "Other readers of the Memory tab are served. Try again.\n";

  private static final class NoProfile implements Answers {
    @Override
    public long answer(String path, String query) {
      return 0;
    }

    @Override
    public String whyNone() {
      return "There is no profile.";
    }
  }

  private final AtomicLong now = new AtomicLong();
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());
  private final Places places = new Places(PLACES, MOST_SLOW, PATIENCE, now::get);
  private final PageServer pages =
      new PageServer(new NoProfile(), null, (what, why) -> told.add(what + ": " + why), places);
  private final List<SlowReader> slow = new ArrayList<>();

  /** A request whose body is not read before {@link #end}. */
  private final class SlowReader {
    final FakeExchange exchange = FakeExchange.blocking();
    private final Thread thread = new Thread(() -> pages.serve(exchange));

    SlowReader() throws InterruptedException {
      thread.setDaemon(true);
      thread.start();
      exchange.awaitBody();
    }

    void end() throws InterruptedException {
      exchange.read();
      thread.join();
    }
  }

  private void blockPlaces(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      slow.add(new SlowReader());
    }
  }

  private FakeExchange ask() {
    FakeExchange exchange = FakeExchange.reading();
    pages.serve(exchange);
    return exchange;
  }

  @After
  public void endSlowReaders() throws InterruptedException {
    for (SlowReader reader : slow) {
      reader.end();
      assertEquals("it got its answer at last", ANSWER, reader.exchange.text());
    }
    assertEquals(Collections.emptyList(), told);
  }

  @Test(timeout = 60_000)
  public void slowReadersLockNobodyOut() throws InterruptedException {
    blockPlaces(PLACES);
    now.addAndGet(PATIENCE);
    for (int i = 0; i < 3; i++) {
      assertEquals(ANSWER, ask().text());
    }
  }

  @Test(timeout = 60_000)
  public void readersThatHaveOnlyBegunAreNotSlow() throws InterruptedException {
    blockPlaces(PLACES);
    FakeExchange refused = ask();
    assertEquals(TRY_AGAIN, refused.text());
    assertEquals(503, refused.status);
    assertEquals("1", refused.headers.get("Retry-After"));
  }

  @Test(timeout = 60_000)
  public void slowReadersAreBounded() throws InterruptedException {
    for (int i = 0; i < PLACES + MOST_SLOW; i++) {
      blockPlaces(1);
      now.addAndGet(PATIENCE);
    }
    assertEquals(TRY_AGAIN, ask().text());
    slow.remove(0).end();
    assertEquals(ANSWER, ask().text());
  }

  @Test(timeout = 60_000)
  public void slowReaderThatEndsGivesNoPlaceBack() throws InterruptedException {
    blockPlaces(PLACES);
    now.addAndGet(PATIENCE);
    blockPlaces(1);
    slow.remove(0).end();
    now.set(0); // nobody is slow any more
    assertEquals(TRY_AGAIN, ask().text());
  }

  @Test(timeout = 60_000)
  public void readerWhoLeavesGivesThePlaceBack() {
    for (int i = 0; i < 2 * PLACES; i++) {
      FakeExchange exchange = FakeExchange.leaving();
      pages.serve(exchange);
      assertEquals("", exchange.text());
    }
    assertEquals(ANSWER, ask().text());
  }

  @Test(timeout = 60_000)
  public void headHasNoBody() {
    FakeExchange exchange = FakeExchange.reading();
    exchange.method = "HEAD";
    pages.serve(exchange);
    assertEquals(503, exchange.status);
    assertEquals("", exchange.text());
  }

  @Test(timeout = 60_000)
  public void whoWritesNeedsNoPlace() throws InterruptedException {
    blockPlaces(PLACES);
    FakeExchange exchange = FakeExchange.reading();
    exchange.method = "POST";
    pages.serve(exchange);
    assertEquals(405, exchange.status);
    assertFalse(exchange.headers.containsKey("Retry-After"));
    assertTrue(exchange.text(), exchange.text().contains("GET or HEAD"));
  }
}
