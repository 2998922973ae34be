package org.sparkmemprof.listener;

import org.apache.spark.SparkConf;
import org.apache.spark.resource.ExecutorResourceRequest;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.TaskResourceRequest;

/**
 * What was requested for one executor, in MiB, -1 = not given. The store gets the raw numbers and
 * knows each cluster manager's defaults.
 */
public final class ExecutorResources {
  private static final String DRIVER = "driver";

  public final long heapMib;
  public final long overheadMib;
  public final long offHeapMib;
  public final long pysparkMib;

  /** Bits of {@code ReportResourceProfile::Request}: what the profile asks for by itself. */
  final int requests;

  /** Of the profile; 0: the configuration's. */
  final int taskCpus;

  private ExecutorResources(
      long heapMib, long overheadMib, long offHeapMib, long pysparkMib, ResourceProfile profile) {
    this.heapMib = heapMib;
    this.overheadMib = overheadMib;
    this.offHeapMib = offHeapMib;
    this.pysparkMib = pysparkMib;
    this.requests = requests(profile);
    this.taskCpus = taskCpus(profile);
  }

  /**
   * @param profile null: unknown, the configuration alone counts
   */
  public static ExecutorResources of(String executorId, SparkConf conf, ResourceProfile profile) {
    long offHeap =
        conf.getBoolean("spark.memory.offHeap.enabled", false)
            ? conf.getSizeAsBytes("spark.memory.offHeap.size", "0") >> 20
            : -1;
    if (DRIVER.equals(executorId)) { // local mode: the driver's JVM does the work
      return new ExecutorResources(
          mib(conf, "spark.driver.memory", "1g"),
          mib(conf, "spark.driver.memoryOverhead", null),
          offHeap,
          mib(conf, "spark.executor.pyspark.memory", null),
          null);
    }
    return new ExecutorResources(
        amount(profile, ResourceProfile.MEMORY(), mib(conf, "spark.executor.memory", "1g")),
        amount(
            profile,
            ResourceProfile.OVERHEAD_MEM(),
            mib(conf, "spark.executor.memoryOverhead", null)),
        amount(profile, ResourceProfile.OFFHEAP_MEM(), offHeap),
        amount(
            profile,
            ResourceProfile.PYSPARK_MEM(),
            mib(conf, "spark.executor.pyspark.memory", null)),
        profile);
  }

  private static long amount(ResourceProfile profile, String resource, long fallback) {
    return asks(profile, resource)
        ? profile.executorResourcesJMap().get(resource).amount()
        : fallback;
  }

  private static boolean asks(ResourceProfile profile, String resource) {
    if (profile == null) {
      return false;
    }
    ExecutorResourceRequest request = profile.executorResourcesJMap().get(resource);
    return request != null && request.amount() != 0; // 0 bytes of what is switched off
  }

  private static int requests(ResourceProfile profile) {
    return (asks(profile, ResourceProfile.MEMORY()) ? 1 : 0)
        | (asks(profile, ResourceProfile.OVERHEAD_MEM()) ? 2 : 0)
        | (asks(profile, ResourceProfile.PYSPARK_MEM()) ? 4 : 0)
        | (asks(profile, ResourceProfile.OFFHEAP_MEM()) ? 8 : 0)
        | (asks(profile, ResourceProfile.CORES()) ? 16 : 0);
  }

  private static int taskCpus(ResourceProfile profile) {
    TaskResourceRequest cpus =
        profile == null ? null : profile.taskResourcesJMap().get(ResourceProfile.CPUS());
    return cpus == null ? 0 : (int) cpus.amount();
  }

  private static long mib(SparkConf conf, String key, String fallback) {
    if (fallback == null && !conf.contains(key)) {
      return -1;
    }
    return conf.getSizeAsMb(key, fallback == null ? "0" : fallback);
  }
}
