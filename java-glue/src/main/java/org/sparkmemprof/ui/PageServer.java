package org.sparkmemprof.ui;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.sparkmemprof.jni.NativePages;
import org.sparkmemprof.notices.Notices;

/**
 * Answers the tab's requests from the native pages. Spark decides who may see them: its security
 * filter runs before every handler of its UI.
 *
 * <p>The server has other work too. So a few requests are served at a time (see {@link Places}),
 * others get an answer to try again, and a body passes through the heap in small pieces. No
 * exception reaches Spark.
 */
final class PageServer {
  private static final int PIECE_BYTES = 64 << 10;
  private static final String TEXT = "text/plain; charset=utf-8";

  private final Answers answers;
  private final PageFrame frame;
  private final Notices notices;
  private final Places places;

  PageServer(Answers answers, PageFrame frame, Notices notices, Places places) {
    this.answers = answers;
    this.frame = frame;
    this.notices = notices;
    this.places = places;
  }

  void serve(Exchange exchange) {
    try {
      exchange.header("Cache-Control", "no-cache, no-store, must-revalidate"); // as Spark's pages
      if (!isRead(exchange)) {
        exchange.header("Allow", "GET, HEAD");
        say(exchange, 405, "The Memory tab can only be read: GET or HEAD.");
      } else {
        answerInTurn(exchange);
      }
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    } catch (IOException readerLeft) {
      // Nobody is there to get an answer.
    } catch (Throwable e) {
      fail(exchange, e);
    }
  }

  private static boolean isRead(Exchange exchange) {
    return "GET".equals(exchange.method()) || "HEAD".equals(exchange.method());
  }

  private void answerInTurn(Exchange exchange) throws Exception {
    try (Places.Place place = places.take()) {
      if (place == null) {
        exchange.header("Retry-After", "1");
        say(exchange, 503, "Other readers of the Memory tab are served. Try again.");
      } else {
        answer(exchange, place);
      }
    }
  }

  private void answer(Exchange exchange, Places.Place place) throws Exception {
    long answer = answers.answer(exchange.path() == null ? "" : exchange.path(), exchange.query());
    if (answer == 0) {
      place.startSending();
      say(exchange, 503, answers.whyNone());
      return;
    }
    try {
      String contentType = NativePages.contentType(answer);
      PageFrame.Halves halves =
          contentType.startsWith("text/html")
              ? frame.around(exchange.request())
              : PageFrame.Halves.NONE;
      long size = NativePages.size(answer);
      exchange.respond(
          NativePages.status(answer),
          contentType,
          halves.before.length + size + halves.after.length);
      if ("HEAD".equals(exchange.method())) {
        return;
      }
      place.startSending();
      OutputStream body = exchange.body();
      body.write(halves.before);
      copy(answer, size, body);
      body.write(halves.after);
    } finally {
      NativePages.free(answer);
    }
  }

  private static void copy(long answer, long size, OutputStream body) throws IOException {
    byte[] piece = new byte[(int) Math.min(PIECE_BYTES, size)];
    for (long offset = 0; offset < size; ) {
      int count = NativePages.read(answer, offset, piece);
      body.write(piece, 0, count);
      offset += count;
    }
  }

  private static void say(Exchange exchange, int status, String sentence) throws IOException {
    byte[] text = (sentence + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.respond(status, TEXT, text.length);
    if (!"HEAD".equals(exchange.method())) {
      exchange.body().write(text);
    }
  }

  private void fail(Exchange exchange, Throwable e) {
    try {
      notices.failed("a page of the Memory tab", e);
      if (!exchange.committed()) {
        say(exchange, 500, "The page can't be shown; the server's log says why.");
      }
    } catch (Throwable again) {
      // The reader gets what there is.
    }
  }
}
