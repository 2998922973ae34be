package org.sparkmemprof.plugin;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.Utils;

/** Who an executor is, and where. */
final class ExecutorIdentity {
  /** The executor's id in local mode, where it lives in the driver's JVM. */
  static final String DRIVER = "driver";

  final String id;
  final String host;

  /** True in local mode: JVM, working directory and log are the user's own. */
  final boolean inDriver;

  ExecutorIdentity(String id) {
    this.id = id;
    host = hostName();
    inDriver = DRIVER.equals(id);
  }

  static boolean isLocal(SparkConf conf) {
    String master = conf.get("spark.master", "");
    return master.equals("local") || master.startsWith("local[");
  }

  /**
   * The name by which Spark's events know this host. {@code PluginContext.hostname()} throws in
   * executors: their RPC environment has no address.
   */
  private static String hostName() {
    try {
      BlockManagerId block = SparkEnv.get().blockManager().blockManagerId();
      return block != null ? block.host() : Utils.localHostName();
    } catch (RuntimeException unknown) {
      return "";
    }
  }
}
