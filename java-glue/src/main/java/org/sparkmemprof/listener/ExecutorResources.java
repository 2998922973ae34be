package org.sparkmemprof.listener;

import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.resource.ExecutorResourceRequest;
import org.apache.spark.resource.ResourceProfile;

/**
 * What was requested for one executor, in MiB, -1 = not given. The store gets the raw numbers and
 * knows each cluster manager's defaults.
 */
final class ExecutorResources {
  private static final String DRIVER = "driver";

  final long heapMib;
  final long overheadMib;
  final long offHeapMib;
  final long pysparkMib;

  private ExecutorResources(long heapMib, long overheadMib, long offHeapMib, long pysparkMib) {
    this.heapMib = heapMib;
    this.overheadMib = overheadMib;
    this.offHeapMib = offHeapMib;
    this.pysparkMib = pysparkMib;
  }

  /**
   * @param profile null: unknown, the configuration alone counts
   */
  static ExecutorResources of(String executorId, SparkConf conf, ResourceProfile profile) {
    long offHeap =
        conf.getBoolean("spark.memory.offHeap.enabled", false)
            ? conf.getSizeAsBytes("spark.memory.offHeap.size", "0") >> 20
            : -1;
    if (DRIVER.equals(executorId)) { // local mode: the driver's JVM does the work
      return new ExecutorResources(
          mib(conf, "spark.driver.memory", "1g"),
          mib(conf, "spark.driver.memoryOverhead", null),
          offHeap,
          mib(conf, "spark.executor.pyspark.memory", null));
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
            mib(conf, "spark.executor.pyspark.memory", null)));
  }

  private static long amount(ResourceProfile profile, String resource, long fallback) {
    if (profile == null) {
      return fallback;
    }
    Map<String, ExecutorResourceRequest> requests = profile.executorResourcesJMap();
    ExecutorResourceRequest request = requests.get(resource);
    // Spark asks for 0 bytes of what is switched off.
    return request == null || request.amount() == 0 ? fallback : request.amount();
  }

  private static long mib(SparkConf conf, String key, String fallback) {
    if (fallback == null && !conf.contains(key)) {
      return -1;
    }
    return conf.getSizeAsMb(key, fallback == null ? "0" : fallback);
  }
}
