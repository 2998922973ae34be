package org.sparkmemprof.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.function.Supplier;
import org.apache.spark.metrics.source.Source;
import org.sparkmemprof.jni.NativeStore;

/**
 * Figures of the report as gauges of the driver in Spark's metrics system, under {@code
 * sparkmemprof}; all sinks that the user has configured show them. Thread-safe.
 */
public final class MemorySource implements Source {
  private static final String NAME = "sparkmemprof";

  /** One reading serves all gauges of a scrape. */
  private static final long FRESH_NANOS = 1_000_000_000L;

  private final MetricRegistry registry = new MetricRegistry();
  private final Supplier<long[]> read;
  private long[] values;
  private long readAt;

  /**
   * @param read null when there is nothing to read any more: then the last values stay
   */
  public MemorySource(Supplier<long[]> read) {
    this.read = read;
    String[] names = NativeStore.metricNames();
    values = new long[names.length];
    readAt = System.nanoTime() - FRESH_NANOS;
    for (int i = 0; i < names.length; i++) {
      int index = i;
      registry.register(names[i], (Gauge<Long>) () -> value(index));
    }
  }

  @Override
  public String sourceName() {
    return NAME;
  }

  @Override
  public MetricRegistry metricRegistry() {
    return registry;
  }

  private synchronized long value(int index) {
    if (System.nanoTime() - readAt >= FRESH_NANOS) {
      long[] now = read.get();
      values = now == null ? values : now;
      readAt = System.nanoTime();
    }
    return values[index];
  }
}
