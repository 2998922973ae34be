package org.sparkmemprof.report;

import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;
import org.sparkmemprof.files.ReportFiles;
import org.sparkmemprof.notices.Notices;

/** A report whose text the test chooses, a directory that can hang or fail, and a log. */
final class ReportScene {
  private static final long PATIENCE_SECONDS = 60;

  volatile String version = "first";
  volatile CountDownLatch writes = new CountDownLatch(0); // of report.json
  volatile boolean callsForAction;
  volatile String headline;
  volatile IOException failure; // of each write; null: none
  final AtomicInteger made = new AtomicInteger(); // reports
  final AtomicInteger open = new AtomicInteger(); // those that are not closed
  final AtomicInteger refusals = new AtomicInteger(); // so often the log has no room
  final AtomicInteger fullHeaps = new AtomicInteger(); // so often a write has no room
  final CountDownLatch hanging = new CountDownLatch(1);
  final CountDownLatch firstWrite = new CountDownLatch(1); // of report.json
  final List<String> written = Collections.synchronizedList(new ArrayList<>()); // report.json
  final List<String> pages = Collections.synchronizedList(new ArrayList<>()); // report.html
  final List<String> places = Collections.synchronizedList(new ArrayList<>()); // of the last report
  final List<String> told = Collections.synchronizedList(new ArrayList<>());
  final BlockingQueue<String> logged = new LinkedBlockingQueue<>();

  final Notices notices = (what, why) -> told.add(what + ": " + why);
  final AtomicInteger brokenLog = new AtomicInteger(); // so often the log throws something else

  private volatile CountDownLatch over; // null: the directory doesn't hang

  final ReportWriter writer =
      new ReportWriter(
          new FixedSource(), Directory::new, new ReportPlace(null, true, 1), true, notices);

  final Logger log =
      (Logger)
          Proxy.newProxyInstance(
              Logger.class.getClassLoader(),
              new Class<?>[] {Logger.class},
              (proxy, method, arguments) -> log(method.getName(), arguments));

  /** From now on the next write hangs, until {@link #goOn}. */
  void hang() {
    over = new CountDownLatch(1);
  }

  void goOn() {
    CountDownLatch ended = over;
    over = null;
    ended.countDown();
  }

  static void await(CountDownLatch latch) {
    try {
      assertTrue("never happened", latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object log(String level, Object[] arguments) {
    if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new OutOfMemoryError("of a test");
    }
    if (brokenLog.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new NoClassDefFoundError("of a test");
    }
    if (level.startsWith("is")) {
      return level.equals("isWarnEnabled"); // as in Spark's shells
    }
    Object[] values = new Object[arguments.length - 1];
    System.arraycopy(arguments, 1, values, 0, values.length);
    if (values.length == 1 && values[0] instanceof Object[]) {
      values = (Object[]) values[0];
    }
    logged.add(
        level + " " + MessageFormatter.arrayFormat((String) arguments[0], values).getMessage());
    return null;
  }

  private final class FixedSource implements Report.Source {
    @Override
    public boolean isClosed() {
      return false;
    }

    @Override
    public void goTo(String directory, boolean withSource) {
      places.add(directory + (withSource ? " with source" : ""));
    }

    @Override
    public void isThere() {
      places.add("written");
    }

    @Override
    public Report make(boolean unfinished, boolean withSource) {
      return new FixedReport(version + (unfinished ? "" : ", final"));
    }
  }

  private final class FixedReport implements Report {
    private final String text;

    FixedReport(String text) {
      this.text = text;
      made.incrementAndGet();
      open.incrementAndGet();
    }

    @Override
    public void json(OutputStream to, boolean pageFollows) throws IOException {
      to.write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void html(OutputStream to) throws IOException {
      to.write(("page of " + text).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public byte[] summary() {
      return ("summary of " + text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String headline() {
      return headline;
    }

    @Override
    public boolean callsForAction() {
      return callsForAction;
    }

    @Override
    public void close() {
      open.decrementAndGet();
    }
  }

  private final class Directory extends ReportFiles {
    @Override
    public void replace(String name, Content content) throws IOException {
      CountDownLatch end = over;
      if (end != null) {
        hanging.countDown();
        await(end);
      }
      if (failure != null) {
        throw failure;
      }
      if (fullHeaps.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new OutOfMemoryError("of a test");
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      content.writeTo(bytes);
      String text = new String(bytes.toByteArray(), StandardCharsets.UTF_8);
      if (name.equals("report.html")) {
        pages.add(text);
      } else {
        written.add(text);
        firstWrite.countDown();
        writes.countDown();
      }
    }

    @Override
    public boolean isPrivate() {
      return true;
    }

    @Override
    public boolean onThisMachine() {
      return true;
    }

    @Override
    public String location() {
      return "/reports/app-1";
    }
  }
}
