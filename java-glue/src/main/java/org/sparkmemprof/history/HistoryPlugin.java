package org.sparkmemprof.history;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.status.AppHistoryServerPlugin;
import org.apache.spark.status.ElementTrackingStore;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.util.kvstore.KVStore;
import org.sparkmemprof.notices.Log;
import org.sparkmemprof.report.ReportPart;
import org.sparkmemprof.ui.MemoryTab;
import scala.collection.immutable.$colon$colon;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/**
 * Spark's History Server finds this class by {@code META-INF/services} when the jar is on its class
 * path. While it replays an event log, our parts go into the application's store; the application's
 * UI gets the Memory tab if there are any. Two instances: Spark makes one for each of the two
 * steps. Nothing thrown here reaches Spark.
 */
public final class HistoryPlugin implements AppHistoryServerPlugin {
  private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();
  private static final String UI_ENABLED = "spark.memprof.ui.enabled";

  /**
   * Spark 3.5 wants a {@code scala.collection.Seq}, Spark 4 an immutable one: this type is both.
   */
  @Override
  public Seq<SparkListener> createListeners(SparkConf conf, ElementTrackingStore store) {
    return new $colon$colon<SparkListener>(new PartKeeper(store), noListeners());
  }

  @SuppressWarnings("unchecked")
  private static scala.collection.immutable.List<SparkListener> noListeners() {
    return (scala.collection.immutable.List<SparkListener>) (Object) Nil$.MODULE$;
  }

  @Override
  public void setupUI(SparkUI ui) {
    try {
      KVStore store = ui.store().store();
      if (ui.conf().getBoolean(UI_ENABLED, true) && store.count(StoredPart.class) > 0) {
        MemoryTab.attach(ui, new HistoryReport(ui, store), 1, HistoryPlugin::tell);
      }
    } catch (Throwable e) {
      tell("the Memory tab", String.valueOf(e));
    }
  }

  static void tell(String what, String why) {
    if (TOLD.add(what)) {
      Log.LOG.warn("sparkmemprof: {} is off: {}", what, why);
    }
  }

  private static final class PartKeeper extends SparkListener {
    // As in common/eventlog/event_log.cc.
    private static final int MOST_CHARS = 2 << 20;
    private static final long MOST_CHARS_OF_ALL = 192L << 20;

    private final KVStore store;
    private final KeptSizes sizes = new KeptSizes(MOST_CHARS_OF_ALL);

    PartKeeper(KVStore store) {
      this.store = store;
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
      try {
        if (event instanceof ReportPart) {
          keep((ReportPart) event);
        }
      } catch (Throwable e) {
        tell("part of the profile in an event log", String.valueOf(e));
      }
    }

    /** An event log is not trusted: records larger than any of our parts are only noted. */
    private void keep(ReportPart part) throws Exception {
      if (part.part == null || part.id == null || part.report == null) {
        return;
      }
      if (part.report.length() > MOST_CHARS) {
        store.write(StoredPart.refused(part));
        return;
      }
      StoredPart stored = new StoredPart(part);
      boolean ofMany = "stage".equals(part.part) || "executor".equals(part.part);
      if (sizes.take(stored.key, part.report.length(), ofMany)) {
        store.write(stored);
      } else {
        store.write(StoredPart.leftOut());
        tell("part of the profile in an event log", "the log holds more of it than 192 MiB");
      }
    }
  }
}
