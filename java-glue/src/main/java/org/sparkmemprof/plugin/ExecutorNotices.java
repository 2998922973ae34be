package org.sparkmemprof.plugin;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.api.plugin.PluginContext;
import org.sparkmemprof.notices.Log;
import org.sparkmemprof.notices.Notices;

/** Sends notices to the driver; an executor that can't reach it warns in its own log. */
final class ExecutorNotices implements Notices {
  private final PluginContext context;
  private final ExecutorIdentity self;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  ExecutorNotices(PluginContext context, ExecutorIdentity self) {
    this.context = context;
    this.self = self;
  }

  @Override
  public void report(String what, String why) {
    try {
      if (told.add(what)) {
        tell(what, why);
      }
    } catch (OutOfMemoryError full) {
      // The heap has no room even for this.
    }
  }

  private void tell(String what, String why) {
    try {
      String where = self.inDriver ? "" : "executor " + self.id + " on " + self.host + ": ";
      context.send(Messages.notice(what, where + why));
    } catch (Throwable unreachable) {
      Log.LOG.warn("sparkmemprof: {} is off: {}", what, why);
    }
  }
}
