#include "budget/budget.h"

#include <algorithm>
#include <array>

#include "budget/container_budget.h"

namespace memprof {

bool IsKeptSetting(std::string_view key) {
  static constexpr std::array<std::string_view, 36> kKeys = {
      "spark.executor.memory",
      "spark.executor.memoryOverhead",
      "spark.executor.memoryOverheadFactor",
      "spark.executor.minMemoryOverhead",
      "spark.executor.pyspark.memory",
      "spark.driver.memory",
      "spark.kubernetes.executor.podTemplateContainerName",  // whose end an end was
      "spark.kubernetes.memoryOverheadFactor",
      "spark.kubernetes.resource.type",
      "spark.kubernetes.submitInDriver",
      "spark.master",
      "spark.memory.fraction",
      "spark.memory.offHeap.enabled",
      "spark.memory.offHeap.size",
      "spark.memory.storageFraction",
      "spark.submit.deployMode",
      "spark.yarn.isPython",
      "yarn.nodemanager.resource.memory-mb",
      "yarn.resourcemanager.scheduler.class",
      "yarn.scheduler.increment-allocation-mb",
      "yarn.scheduler.maximum-allocation-mb",
      "yarn.scheduler.minimum-allocation-mb",
      "spark.executor.cores",
      "spark.sql.execution.arrow.maxBytesPerBatch",  // from here on: for advice only
      "spark.sql.execution.arrow.maxRecordsPerBatch",
      "spark.sql.execution.arrow.pyspark.enabled",
      "spark.driver.maxResultSize",
      "spark.task.cpus",
      "spark.driver.memoryOverhead",
      "spark.driver.memoryOverheadFactor",
      "spark.driver.minMemoryOverhead",
      "spark.sql.autoBroadcastJoinThreshold",
      "spark.sql.adaptive.autoBroadcastJoinThreshold",
      "spark.sql.adaptive.enabled",
      "spark.network.maxRemoteBlockSizeFetchToMem",
      "spark.serializer",  // of cached data: shown
  };
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

namespace {

std::string_view MasterOf(const SparkSettings* settings) {
  if (settings == nullptr) return "";
  const auto found = settings->find("spark.master");
  return found == settings->end() ? std::string_view() : found->second;
}

}  // namespace

bool IsOnYarn(const SparkSettings* settings) { return MasterOf(settings) == "yarn"; }

bool SettingsSizeContainers(const SparkSettings* settings) { return IsOnYarn(settings) || MasterOf(settings).starts_with("k8s://"); }

bool IsLocal(std::string_view master) { return master == "local" || master.starts_with("local["); }

std::unique_ptr<ClusterManager> ClusterManagerOf(std::string_view master) {
  if (master == "yarn") return MakeYarn();
  if (master.starts_with("k8s://")) return MakeKubernetes();
  if (IsLocal(master)) return MakeLocal();
  if (master == "program") return MakeProgram();
  return MakeStandalone();
}

uint64_t OverheadWithHeap(const SparkSettings& settings, uint64_t heap_bytes) {
  SparkSettings with_heap = settings;
  with_heap["spark.executor.memory"] = std::to_string(heap_bytes) + "b";
  BudgetInput input;
  input.settings = &with_heap;
  for (const BudgetRegion& region : ClusterManagerOf(MasterOf(&settings))->BudgetOf(input).regions) {
    if (region.name == "overhead") return region.bytes.value_or(0);
  }
  return 0;
}

uint64_t GrantedBytes(const BudgetInput& input) {
  if (input.settings == nullptr) return 0;
  const auto master = input.settings->find("spark.master");
  if (master == input.settings->end()) return 0;
  const Budget budget = ClusterManagerOf(master->second)->BudgetOf(input);
  return budget.limit_enforced && budget.limit_source == LimitSource::kSpark ? budget.limit_bytes.value_or(0) : 0;
}

}  // namespace memprof
