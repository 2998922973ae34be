// What the cluster managers' budgets have in common.
#pragma once

#include "budget/budget.h"
#include "budget/memory_size.h"

namespace memprof {

// Each is defined in the cluster manager's own file.
std::unique_ptr<ClusterManager> MakeYarn();
std::unique_ptr<ClusterManager> MakeKubernetes();
std::unique_ptr<ClusterManager> MakeStandalone();
std::unique_ptr<ClusterManager> MakeLocal();
std::unique_ptr<ClusterManager> MakeProgram();

// Settings; absent when not set or when Spark would refuse the value.
std::optional<uint64_t> MemorySetting(const BudgetInput& input, std::string_view key, uint64_t default_unit);
std::optional<double> FractionSetting(const BudgetInput& input, std::string_view key);
bool FlagSetting(const SparkSettings* settings, std::string_view key, bool otherwise);

// The requested heap: from the resource profile, else spark.executor.memory, else Spark's default of 1 GiB.
uint64_t RequestedHeap(const BudgetInput& input);

// Spark's own minimum of a container's overhead, where minMemoryOverhead isn't set (ResourceProfile.MEMORY_OVERHEAD_MIN_MIB).
inline constexpr uint64_t kMinOverheadBytes = 384 * kMib;

// max(factor × spark.executor.memory, minimum) in whole MiB, unless given explicitly. The default profile's heap counts even
// where another resource profile requests another heap (ResourceProfile.getResourcesForClusterManager).
uint64_t Overhead(const BudgetInput& input, double factor);

// 0 unless spark.memory.offHeap.enabled.
uint64_t OffHeap(const BudgetInput& input);

// spark.executor.pyspark.memory; 0 when not set.
uint64_t PysparkMemory(const BudgetInput& input);

// heap.* of a JVM whose Runtime.maxMemory is `input.heap_max_bytes` (else `requested_heap`), the way UnifiedMemoryManager
// divides it. Storage and execution borrow from each other; heap.storage is the part that execution cannot evict.
void AddHeapRegions(const BudgetInput& input, uint64_t requested_heap, Budget& budget);

// limit: the cgroup's if there is one; otherwise what was granted, or physical memory where that is less. `granted`: what the manager made
// of what was requested, if that is more.
void SetLimit(const BudgetInput& input, uint64_t requested, bool enforced, Budget& budget, uint64_t granted = 0);

// The size of the container that YARN makes for a request: rounded up, as far as the settings say how; else what is requested.
uint64_t GrantedByYarn(const BudgetInput& input, uint64_t requested);

}  // namespace memprof
