#include "budget/budget.h"

#include <algorithm>
#include <array>

#include "budget/container_budget.h"

namespace memprof {

bool IsBudgetSetting(std::string_view key) {
  static constexpr std::array<std::string_view, 17> kKeys = {
      "spark.executor.memory",
      "spark.executor.memoryOverhead",
      "spark.executor.memoryOverheadFactor",
      "spark.executor.minMemoryOverhead",
      "spark.executor.pyspark.memory",
      "spark.driver.memory",
      "spark.kubernetes.memoryOverheadFactor",
      "spark.kubernetes.resource.type",
      "spark.master",
      "spark.memory.fraction",
      "spark.memory.offHeap.enabled",
      "spark.memory.offHeap.size",
      "spark.memory.storageFraction",
      "spark.submit.deployMode",
      "spark.yarn.isPython",
      "spark.executor.cores",
      "spark.sql.execution.arrow.maxRecordsPerBatch",  // for advice
  };
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::unique_ptr<ClusterManager> ClusterManagerOf(std::string_view master) {
  if (master == "yarn") return MakeYarn();
  if (master.starts_with("k8s://")) return MakeKubernetes();
  if (master == "local" || master.starts_with("local[")) return MakeLocal();
  if (master == "program") return MakeProgram();
  return MakeStandalone();
}

}  // namespace memprof
