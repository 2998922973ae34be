// YARN (YarnAllocator, ResourceProfile.getResourcesForClusterManager): container = heap + overhead + off-heap, and
// pyspark.memory only with spark.yarn.isPython. The scheduler rounds that up, and the NodeManager kills a container above what it granted.
// Spark doesn't know that figure; the cgroup limit shows it where YARN uses cgroups, the cluster's yarn-site.xml may tell elsewhere.
#include <algorithm>

#include "budget/container_budget.h"

namespace memprof {
namespace {

// DefaultResourceCalculator.normalize's step: the least allocation, but under the FairScheduler an increment of its own.
std::optional<uint64_t> StepOf(const BudgetInput& input) {
  constexpr const char *kLeast = "yarn.scheduler.minimum-allocation-mb", *kIncrement = "yarn.scheduler.increment-allocation-mb";
  const auto scheduler = input.settings->find("yarn.resourcemanager.scheduler.class");
  const bool is_fair = scheduler != input.settings->end() && scheduler->second.find("FairScheduler") != std::string::npos;
  return MemorySetting(input, is_fair ? kIncrement : kLeast, kMib);
}

class Yarn final : public ClusterManager {
 public:
  Budget BudgetOf(const BudgetInput& input) const override {
    uint64_t heap = RequestedHeap(input);
    uint64_t overhead = Overhead(input, FractionSetting(input, "spark.executor.memoryOverheadFactor").value_or(0.1));
    uint64_t off_heap = OffHeap(input);
    uint64_t pyspark = FlagSetting(input.settings, "spark.yarn.isPython", false) ? PysparkMemory(input) : 0;
    Budget budget;
    AddHeapRegions(input, heap, budget);
    budget.regions.push_back({"overhead", overhead});
    budget.regions.push_back({"offHeap", off_heap});
    budget.regions.push_back({"pyspark", pyspark});
    const uint64_t requested = heap + overhead + off_heap + pyspark;
    SetLimit(input, requested, true, budget, GrantedByYarn(input, requested));
    return budget;
  }
};

}  // namespace

uint64_t GrantedByYarn(const BudgetInput& input, uint64_t requested) {
  if (input.settings == nullptr) return requested;
  const uint64_t least = MemorySetting(input, "yarn.scheduler.minimum-allocation-mb", kMib).value_or(0);
  const uint64_t most = MemorySetting(input, "yarn.scheduler.maximum-allocation-mb", kMib).value_or(UINT64_MAX);
  const uint64_t step = StepOf(input).value_or(0), asked = std::max(requested, least);
  const uint64_t missing = step == 0 || asked % step == 0 ? 0 : step - asked % step;
  return std::max(requested, std::min(asked + missing, most));
}

std::unique_ptr<ClusterManager> MakeYarn() { return std::make_unique<Yarn>(); }

}  // namespace memprof
