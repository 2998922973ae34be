package org.sparkmemprof.plugin;

import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.sparkmemprof.gc.CollectionNews;
import org.sparkmemprof.jni.NativeAgent;
import org.sparkmemprof.notices.FullHeap;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.notices.OurThreads;
import org.sparkmemprof.notices.Rounds;
import org.sparkmemprof.report.StoreFeeder;

/**
 * Profiles the driver's JVM like an executor's, where it is a JVM of its own; in local mode it is
 * the executor. Its messages go directly to the store.
 */
final class DriverProfile {
  private static final String POOLS = "Spark's memory in the driver";
  private static final long POLL_MILLIS = 200;
  private static final long TAKE_MILLIS = 500;
  private static final long DRAIN_SECONDS = 2;

  private final StoreFeeder feeder;
  private final int patience;
  private final Notices notices;
  private final BoxDirectory boxes;
  private AutoCloseable collections = () -> {};
  private Rounds poll;
  private Thread link;
  private volatile boolean stopping;

  private DriverProfile(StoreFeeder feeder, Notices notices, BoxDirectory boxes, int patience) {
    this.feeder = feeder;
    this.notices = notices;
    this.boxes = boxes;
    this.patience = patience;
  }

  /** Once, when the agent runs. If it throws, {@link #close} ends what has begun. */
  private void begin() {
    boxes.removeLeftovers();
    collections = CollectionNews.start();
    SparkPools pools = new SparkPools(notices);
    poll = new Rounds("driver-poll", 0, POLL_MILLIS, () -> tell(pools), POOLS, notices).start();
    link = OurThreads.daemon("driver-send").newThread(this::run);
    link.start();
  }

  /** Whether the driver is to be profiled; in local mode it is the executor, which is. */
  static boolean isWanted(Settings settings, SparkConf conf) {
    return settings.driverEnabled && !ExecutorIdentity.isLocal(conf);
  }

  /**
   * @return null when it can't be profiled; that has been reported
   */
  static DriverProfile start(
      String applicationId,
      SparkContext sc,
      Settings settings,
      StoreFeeder feeder,
      Notices notices) {
    SparkConf conf = sc.conf();
    StringBuilder failures = new StringBuilder();
    ExecutorIdentity self = new ExecutorIdentity(ExecutorIdentity.DRIVER);
    BoxDirectory boxes =
        BoxDirectory.make(
            settings.boxDirectory,
            BoxDirectory.nameOf(applicationId, conf),
            self.id,
            false,
            settings.patience,
            failures,
            notices);
    if (boxes == null) {
      notices.report("the driver's profile", "no private directory for black boxes: " + failures);
      return null;
    }
    long granted = NativeAgent.grantedToDriver(ClusterGrant.added(sc, Redaction.entries(conf)));
    String inert =
        NativeAgent.start(
            applicationId,
            self.id,
            self.host,
            boxes.path().toString(),
            ContainerOptions.added(Settings.agentOptions(conf), granted, conf));
    if (inert != null) {
      FileWork.within(FileWork.REMOVAL, boxes::leave, settings.patience, notices);
      notices.report("the driver's profile", inert);
      return null;
    }
    DriverProfile profile = new DriverProfile(feeder, notices, boxes, settings.patience);
    try {
      profile.begin();
      return profile;
    } catch (Throwable e) { // for want of threads
      notices.failed("the driver's profile", e);
      profile.close();
      return null;
    }
  }

  private static void tell(SparkPools pools) {
    SparkEnv env = SparkEnv.get();
    if (env != null) {
      pools.tell(env);
    }
  }

  private void run() {
    FullHeap.prepare(OutOfMemoryError.class, Throwable.class);
    boolean open = true;
    while (open) {
      try {
        open = pass();
      } catch (OutOfMemoryError full) { // the message waits on the native side
        FullHeap.awaitRoom();
      } catch (Throwable e) {
        notices.failed("the driver's profile", e);
        return;
      }
    }
  }

  /** One message; false once there are no more. */
  private boolean pass() {
    boolean last = stopping;
    byte[] message = NativeAgent.takeMessage(last ? 0 : TAKE_MILLIS);
    if (message != null) {
      feeder.ingest(message);
    }
    return message != null || !last;
  }

  /** What is left reaches the store; never throws. */
  void close() {
    try {
      if (poll != null) {
        poll.end();
      }
      collections.close();
      NativeAgent.stop();
      stopping = true;
      if (link != null) {
        link.join(TimeUnit.SECONDS.toMillis(DRAIN_SECONDS * patience));
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      notices.failed("the end of the driver's profile", e);
    } finally {
      FileWork.within(FileWork.REMOVAL, boxes::leave, patience, notices);
    }
  }
}
