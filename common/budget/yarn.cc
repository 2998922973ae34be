// YARN (YarnAllocator, ResourceProfile.getResourcesForClusterManager): container = heap + overhead + off-heap, and
// pyspark.memory only with spark.yarn.isPython. The NodeManager kills a container above that (after rounding it up to the
// scheduler's minimum allocation, which Spark does not know; the cgroup limit shows it where YARN uses cgroups).
#include "budget/container_budget.h"

namespace memprof {
namespace {

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
    SetLimit(input, heap + overhead + off_heap + pyspark, true, budget);
    return budget;
  }
};

}  // namespace

std::unique_ptr<ClusterManager> MakeYarn() { return std::make_unique<Yarn>(); }

}  // namespace memprof
