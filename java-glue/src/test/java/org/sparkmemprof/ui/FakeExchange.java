package org.sparkmemprof.ui;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A request without a server; its reader reads at once, when the test says so, or leaves. */
final class FakeExchange implements Exchange {
  String method = "GET";
  volatile int status;
  final Map<String, String> headers = new HashMap<>();

  private final boolean leaves;
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch read;
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

  private FakeExchange(boolean leaves, int waits) {
    this.leaves = leaves;
    read = new CountDownLatch(waits);
  }

  static FakeExchange reading() {
    return new FakeExchange(false, 0);
  }

  /** Its body blocks until {@link #read}. */
  static FakeExchange blocking() {
    return new FakeExchange(false, 1);
  }

  static FakeExchange leaving() {
    return new FakeExchange(true, 0);
  }

  /** Waits until something is written to the body. */
  void awaitBody() throws InterruptedException {
    begun.await();
  }

  void read() {
    read.countDown();
  }

  String text() {
    return new String(sent.toByteArray(), StandardCharsets.UTF_8);
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String path() {
    return null;
  }

  @Override
  public String query() {
    return null;
  }

  @Override
  public Object request() {
    throw new UnsupportedOperationException("only Spark's page frame asks for it");
  }

  @Override
  public void respond(int newStatus, String contentType, long bytes) {
    status = newStatus;
  }

  @Override
  public void header(String name, String value) {
    headers.put(name, value);
  }

  @Override
  public OutputStream body() {
    return new OutputStream() {
      @Override
      public void write(int octet) throws IOException {
        write(new byte[] {(byte) octet}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        begun.countDown();
        if (leaves) {
          throw new EOFException("the reader has left");
        }
        try {
          read.await();
        } catch (InterruptedException e) {
          throw new InterruptedIOException();
        }
        sent.write(bytes, offset, length);
      }
    };
  }

  @Override
  public boolean committed() {
    return begun.getCount() == 0;
  }
}
