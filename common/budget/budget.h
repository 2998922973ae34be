// Budget of one executor: what was requested for it, region by region, and what limits it. There is one class (and file) for each
// cluster manager, because each requests something else. Pure arithmetic on values; thread-safe. Nothing fails: a setting that
// Spark would refuse counts as not set.
//
// Regions (bytes): heap.reserved + heap.storage + heap.execution + heap.user = Runtime.maxMemory; overhead; offHeap; pyspark.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memprof {

using SparkSettings = std::map<std::string, std::string, std::less<>>;

// Whether a setting is used for budgets or shown: all others need not be kept.
bool IsKeptSetting(std::string_view key);

// By spark.master. Null settings: not known, and so false.
bool IsOnYarn(const SparkSettings* settings);
bool SettingsSizeContainers(const SparkSettings* settings);  // on YARN and Kubernetes: a container is as large as they ask for
bool IsLocal(std::string_view master);                       // the driver runs the tasks itself

struct BudgetInput {
  const SparkSettings* settings = nullptr;
  std::string_view executor_id;
  std::string_view python_version;  // non-empty: this is a PySpark application
  // From the executor's resource profile, MiB; absent = not given there.
  std::optional<uint64_t> heap_mib, overhead_mib, offheap_mib, pyspark_mib;
  std::optional<uint64_t> heap_max_bytes;      // Runtime.maxMemory of its JVM
  std::optional<uint64_t> cgroup_limit_bytes;  // the smallest on its path, if not above physical memory
  std::optional<uint64_t> host_memory_bytes;
};

struct BudgetRegion {
  std::string_view name;
  std::optional<uint64_t> bytes;
};

enum class LimitSource : uint8_t { kUnknown, kCgroup, kSpark, kHost };

struct Budget {
  std::vector<BudgetRegion> regions;
  std::optional<uint64_t> requested_bytes;  // what Spark asked the cluster manager for
  std::optional<uint64_t> limit_bytes;
  LimitSource limit_source = LimitSource::kUnknown;
  bool limit_enforced = true;      // false: nothing stops the executor there (standalone and local reserve heap only)
  bool heap_from_request = false;  // Runtime.maxMemory is unknown: heap.* are calculated from the requested heap
};

class ClusterManager {
 public:
  virtual ~ClusterManager() = default;
  virtual Budget BudgetOf(const BudgetInput& input) const = 0;
};

// By spark.master: yarn, k8s://…, spark://…, local-cluster[…], local[…], and "program" for none. Never null; an unknown master is
// treated as standalone, which guarantees least.
std::unique_ptr<ClusterManager> ClusterManagerOf(std::string_view master);

// The overhead that would be requested with such a heap of the default profile (spark.executor.memory): mostly a share of it. 0: none is.
uint64_t OverheadWithHeap(const SparkSettings& settings, uint64_t heap_bytes);

// What such an executor is granted, if the cluster manager itself (spark.master) ends one that takes more. 0: it doesn't.
uint64_t GrantedBytes(const BudgetInput& input);

}  // namespace memprof
