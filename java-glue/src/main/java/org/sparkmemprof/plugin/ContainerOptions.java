package org.sparkmemprof.plugin;

import java.util.Arrays;
import org.apache.spark.SparkConf;

/** What the agent is told of the container that the cluster manager has granted. */
final class ContainerOptions {
  private ContainerOptions() {}

  /**
   * The agent's options, with these behind them.
   *
   * @param granted bytes; 0: it is held to nothing
   */
  static String[] added(String[] options, long granted, SparkConf conf) {
    if (granted == 0) {
      return options;
    }
    String[] more = Arrays.copyOf(options, options.length + 2);
    more[options.length] = "container.bytes=" + granted;
    // YARN sums its processes; elsewhere a cgroup holds an executor to it.
    more[options.length + 1] = "container.counted=" + conf.get("spark.master", "").equals("yarn");
    return more;
  }
}
