package org.sparkmemprof.accumulator;

import java.util.function.Consumer;
import org.apache.spark.util.AccumulatorV2;

/**
 * Carries the profile of one task from its executor to the driver, as opaque bytes.
 *
 * <p>On an executor, heartbeats serialise this object on a thread of Spark's while the task still
 * runs. So all state is one volatile reference to an array that is never changed after it was set.
 * Until the first snapshot the accumulator is zero, so it is not sent at all.
 *
 * <p>On the driver {@link #merge} is called on the DAG scheduler's event loop: it passes the bytes
 * to the sink and returns. The driver's own value stays empty, so nothing is kept in its heap.
 *
 * <p>Thread-safe.
 */
public final class ProfileAccumulator extends AccumulatorV2<byte[], byte[]> {
  private static final long serialVersionUID = 1L;

  private static final byte[] NONE = new byte[0];

  /** Driver only; it is not serialised, and executors don't need it. */
  private final transient Consumer<byte[]> sink;

  private volatile byte[] profile = NONE;
  private boolean closed; // guarded by this

  /** For the driver: what is merged goes to {@code sink}, which must return at once. */
  public ProfileAccumulator(Consumer<byte[]> sink) {
    this.sink = sink;
  }

  /** An interim profile of a running task; ignored when the final one is there already. */
  public synchronized void snapshot(byte[] bytes) {
    if (!closed && bytes != null) {
      profile = bytes;
    }
  }

  /** The final profile; null keeps the last snapshot. */
  public synchronized void close(byte[] bytes) {
    closed = true;
    if (bytes != null) {
      profile = bytes;
    }
  }

  @Override
  public boolean isZero() {
    return profile.length == 0;
  }

  @Override
  public AccumulatorV2<byte[], byte[]> copy() {
    ProfileAccumulator copy = new ProfileAccumulator(sink);
    copy.profile = profile;
    return copy;
  }

  @Override
  public void reset() {
    profile = NONE;
  }

  @Override
  public void add(byte[] bytes) {
    snapshot(bytes);
  }

  @Override
  public void merge(AccumulatorV2<byte[], byte[]> other) {
    byte[] bytes = other.value();
    if (sink != null && bytes != null && bytes.length > 0) {
      sink.accept(bytes);
    }
  }

  /** The profile, empty when there is none; the array must not be changed. */
  @Override
  public byte[] value() {
    return profile;
  }

  /** Spark uses this to log accumulators of failed tasks, so it must stay short. */
  @Override
  public String toString() {
    return "ProfileAccumulator(" + profile.length + " bytes)";
  }
}
