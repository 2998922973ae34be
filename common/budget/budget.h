// Budget of one executor: what was asked for it, region by region, and what limits it. One class (and file) for each
// cluster manager, because each asks for something else. Pure arithmetic on values; thread-safe; nothing fails: a setting that Spark
// would refuse is taken as not set.
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

// Whether a setting has a say in budgets: all others need not be kept.
bool IsBudgetSetting(std::string_view key);

struct BudgetInput {
  const SparkSettings* settings = nullptr;
  std::string_view executor_id;
  std::string_view python_version;  // non-empty: this is a PySpark application
  // From the executor's resource profile, MiB; absent = not given there.
  std::optional<uint64_t> heap_mib, overhead_mib, offheap_mib, pyspark_mib;
  std::optional<uint64_t> heap_max_bytes;      // Runtime.maxMemory of its JVM
  std::optional<uint64_t> cgroup_limit_bytes;  // the smallest on its path, if below physical memory
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
  bool limit_enforced = true;      // false: nobody stops the executor there (standalone and local reserve heap only)
  bool heap_from_request = false;  // Runtime.maxMemory is unknown: heap.* were worked out from the heap asked for
};

class ClusterManager {
 public:
  virtual ~ClusterManager() = default;
  virtual Budget BudgetOf(const BudgetInput& input) const = 0;
};

// By spark.master: yarn, k8s://…, spark://…, local-cluster[…], local[…], and "program" for none. Never null; an unknown master is treated
// as standalone, which promises least.
std::unique_ptr<ClusterManager> ClusterManagerOf(std::string_view master);

// What each executor is granted where somebody ends one that takes more, by these settings alone; 0: nobody does.
uint64_t GrantedBytes(const SparkSettings& settings);

}  // namespace memprof
