// local[*]: driver and executor are one JVM, sized by spark.driver.memory; spark.executor.memory has no effect. Nothing
// but that heap is reserved anywhere.
#include "budget/container_budget.h"
#include "budget/memory_size.h"

namespace memprof {
namespace {

class Local final : public ClusterManager {
 public:
  Budget BudgetOf(const BudgetInput& input) const override {
    uint64_t heap = MemorySetting(input, "spark.driver.memory", kMib).value_or(kGib);
    Budget budget;
    AddHeapRegions(input, heap, budget);
    budget.regions.push_back({"overhead", 0});
    budget.regions.push_back({"offHeap", OffHeap(input)});
    budget.regions.push_back({"pyspark", 0});
    SetLimit(input, heap, false, budget);
    return budget;
  }
};

}  // namespace

std::unique_ptr<ClusterManager> MakeLocal() { return std::make_unique<Local>(); }

}  // namespace memprof
