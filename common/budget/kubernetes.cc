// Kubernetes (BasicExecutorFeatureStep): pod memory, as request and limit, = heap + overhead + off-heap, and
// pyspark.memory only where the submitted application is Python. Overhead factor: spark.executor.memoryOverheadFactor,
// else spark.kubernetes.memoryOverheadFactor, which a driver that Kubernetes itself started for a Python application
// sets to 0.4 (BasicDriverFeatureStep), else 0.1: a client-mode driver keeps 0.1 even for Python.
#include "budget/container_budget.h"

namespace memprof {
namespace {

class Kubernetes final : public ClusterManager {
 public:
  Budget BudgetOf(const BudgetInput& input) const override {
    bool python_submitted = Equals(input, "spark.kubernetes.resource.type", "python");
    bool cluster_mode = Equals(input, "spark.submit.deployMode", "cluster");
    uint64_t heap = RequestedHeap(input);
    uint64_t overhead = Overhead(input, Factor(input, python_submitted && cluster_mode));
    uint64_t off_heap = OffHeap(input);
    uint64_t pyspark = python_submitted ? PysparkMemory(input) : 0;
    Budget budget;
    AddHeapRegions(input, heap, budget);
    budget.regions.push_back({"overhead", overhead});
    budget.regions.push_back({"offHeap", off_heap});
    budget.regions.push_back({"pyspark", pyspark});
    SetLimit(input, heap + overhead + off_heap + pyspark, true, budget);
    return budget;
  }

 private:
  static bool Equals(const BudgetInput& input, std::string_view key, std::string_view value) {
    if (input.settings == nullptr) return false;
    auto found = input.settings->find(key);
    return found != input.settings->end() && found->second == value;
  }

  static double Factor(const BudgetInput& input, bool submitted_in_cluster) {
    for (std::string_view key : {"spark.executor.memoryOverheadFactor", "spark.kubernetes.memoryOverheadFactor"}) {
      if (auto factor = FractionSetting(input, key)) return *factor;
    }
    return submitted_in_cluster ? 0.4 : 0.1;
  }
};

}  // namespace

std::unique_ptr<ClusterManager> MakeKubernetes() { return std::make_unique<Kubernetes>(); }

}  // namespace memprof
