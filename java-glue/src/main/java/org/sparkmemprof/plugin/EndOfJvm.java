package org.sparkmemprof.plugin;

import org.sparkmemprof.jni.NativeFeed;
import org.sparkmemprof.notices.OurThreads;
import org.sparkmemprof.report.StoreFeeder;

/**
 * Tells the store when the driver's JVM begins to end. A program may end without stopping its
 * SparkContext; then Spark's own hooks end executors before the application counts as ended.
 */
final class EndOfJvm {
  private final Thread hook;

  private EndOfJvm(StoreFeeder feeder) {
    hook =
        OurThreads.hook(
            "end",
            () -> {
              long time = System.currentTimeMillis();
              feeder.event(feed -> NativeFeed.applicationEnding(feed, time));
            });
  }

  static EndOfJvm watch(StoreFeeder feeder) {
    EndOfJvm watch = new EndOfJvm(feeder);
    try {
      Runtime.getRuntime().addShutdownHook(watch.hook);
    } catch (IllegalStateException ending) {
      watch.hook.run();
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
}
