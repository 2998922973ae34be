package org.sparkmemprof.plugin;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sparkmemprof.jni.NativeStore;
import org.sparkmemprof.notices.Log;
import org.sparkmemprof.notices.Notices;
import org.sparkmemprof.report.StoreFeeder;

/** Notices of the driver and of its executors: one WARN each, and a line in the report. */
final class DriverNotices implements Notices {
  private final Set<String> told = ConcurrentHashMap.newKeySet();
  private volatile StoreFeeder feeder;

  /** From now on notices also go to the report. */
  void attach(StoreFeeder newFeeder) {
    feeder = newFeeder;
  }

  @Override
  public void report(String what, String why) {
    try {
      if (!told.add(what)) {
        return;
      }
      Log.LOG.warn("sparkmemprof: {} is off: {}", what, why);
      StoreFeeder target = feeder;
      if (target != null) {
        target.event(store -> NativeStore.notAvailable(store, what, why));
      }
    } catch (OutOfMemoryError full) {
      // The driver's own heap has no room even for this.
    }
  }
}
