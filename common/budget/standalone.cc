// Standalone, and local-cluster, which is a standalone cluster in one driver (Master.scheduleExecutorsOnWorkers): only the
// heap is reserved on a worker. Off-heap, overhead and Python come on top. Only the host's memory limits them, or a cgroup around the
// worker that was made by others.
#include "budget/container_budget.h"

namespace memprof {
namespace {

class Standalone final : public ClusterManager {
 public:
  Budget BudgetOf(const BudgetInput& input) const override {
    uint64_t heap = RequestedHeap(input);
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

std::unique_ptr<ClusterManager> MakeStandalone() { return std::make_unique<Standalone>(); }

}  // namespace memprof
