package org.sparkmemprof.plugin;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.notices.FullHeap;
import org.sparkmemprof.notices.OurThreads;
import org.sparkmemprof.report.StoreFeeder;

/**
 * The end of a driver's JVM whose program has not stopped its SparkContext. Tells the store when it
 * begins: Spark's own hooks end executors before the application counts as ended. They stop the
 * SparkContext, too, and with it us. But what an OutOfMemoryError ends in the midst of its stop,
 * Spark does not do again, now or earlier; then we end by ourselves.
 */
final class EndOfJvm {
  private static final long LOOK_MILLIS = 1_000;
  private static final int MOST_LOOKS = 20; // Spark's hooks have 30 seconds
  private static final int LOOKS_WITHOUT_STOP = 3; // a stop may be about to begin, or to be told

  /**
   * Our own steps have bounds, Spark's code has none. Times the patience by which theirs are
   * multiplied.
   */
  private static final long MOST_MILLIS = 60_000;

  /** What it asks of Spark. */
  static final class Spark {
    final String name; // of the class whose stop takes the last steps
    final BooleanSupplier stopped; // its stop has begun, and won't begin again

    Spark(String name, BooleanSupplier stopped) {
      this.name = name;
      this.stopped = stopped;
    }
  }

  private final Runnable tell;
  private final LastSteps lastSteps;
  private final Spark spark;
  private final long lookMillis;
  private final long mostMillis;
  private final Thread hook = OurThreads.hook("end", this::run);
  private final Thread taker; // a hook that hangs would keep the JVM from ending

  /**
   * @param tell that the JVM begins to end; may throw anything
   */
  EndOfJvm(Runnable tell, LastSteps lastSteps, Spark spark, long lookMillis, long mostMillis) {
    this.tell = tell;
    this.lastSteps = lastSteps;
    this.spark = spark;
    this.lookMillis = lookMillis;
    this.mostMillis = mostMillis;
    taker = OurThreads.daemon("last-steps").newThread(lastSteps::take);
  }

  static EndOfJvm watch(
      StoreFeeder feeder, LastSteps lastSteps, BooleanSupplier stopped, int patience) {
    Runnable tell =
        () -> {
          long time = System.currentTimeMillis();
          feeder.event(feed -> NativeFeed.applicationEnding(feed, time));
        };
    Spark spark = new Spark("org.apache.spark.SparkContext", stopped);
    EndOfJvm watch = new EndOfJvm(tell, lastSteps, spark, LOOK_MILLIS, MOST_MILLIS * patience);
    try {
      Runtime.getRuntime().addShutdownHook(watch.hook);
    } catch (IllegalStateException ending) {
      tell.run();
    }
    return watch;
  }

  void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // It has told, or is about to.
    }
  }

  void run() {
    FullHeap.prepare(Throwable.class);
    try {
      tell.run();
    } catch (Throwable full) {
      // The store knows of what is missing.
    }
    try {
      awaitStop();
      if (!lastSteps.begun()) {
        taker.start();
      }
      lastSteps.await(mostMillis);
    } catch (Throwable full) {
      // Native code writes the report then (NativeStore.willBeReported).
    }
  }

  /** Until the last steps have begun, or Spark won't begin them. */
  private void awaitStop() {
    int idle = 0;
    for (int looks = 0; looks < MOST_LOOKS && idle < LOOKS_WITHOUT_STOP; looks++) {
      if (lastSteps.begun()) {
        return;
      }
      idle = sparkStops() || !spark.stopped.getAsBoolean() ? 0 : idle + 1;
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(lookMillis));
    }
  }

  /** Also true when there is no room to look. */
  private boolean sparkStops() {
    try {
      for (StackTraceElement[] stack : Thread.getAllStackTraces().values()) {
        for (StackTraceElement frame : stack) {
          if (frame.getMethodName().equals("stop") && frame.getClassName().equals(spark.name)) {
            return true;
          }
        }
      }
      return false;
    } catch (OutOfMemoryError full) {
      return true;
    }
  }
}
