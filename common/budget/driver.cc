#include "budget/driver.h"

#include <algorithm>

#include "budget/container_budget.h"
#include "budget/memory_size.h"

namespace memprof {
namespace {

bool Is(const SparkSettings* settings, std::string_view key, std::string_view value) {
  if (settings == nullptr) return false;
  const auto found = settings->find(key);
  return found != settings->end() && found->second == value;
}

uint64_t OverheadOf(const BudgetInput& input, uint64_t heap, bool kubernetes) {
  if (const auto explicitly = MemorySetting(input, "spark.driver.memoryOverhead", kMib)) return *explicitly;
  const bool python = kubernetes && Is(input.settings, "spark.kubernetes.resource.type", "python");
  std::optional<double> factor = FractionSetting(input, "spark.driver.memoryOverheadFactor");
  if (!factor && kubernetes) factor = FractionSetting(input, "spark.kubernetes.memoryOverheadFactor");
  const uint64_t minimum = MemorySetting(input, "spark.driver.minMemoryOverhead", kMib).value_or(kMinOverheadBytes);
  const double share = std::max(factor.value_or(python ? 0.4 : 0.1), 0.0) * static_cast<double>(heap / kMib);
  return std::max(static_cast<uint64_t>(share) * kMib, minimum);
}

class Driver final : public ClusterManager {
 public:
  explicit Driver(std::string_view master) : yarn_(master == "yarn"), kubernetes_(master.starts_with("k8s://")) {}

  Budget BudgetOf(const BudgetInput& input) const override {
    const bool in_cluster = DriverHasContainer(input.settings);
    const uint64_t heap = MemorySetting(input, "spark.driver.memory", kMib).value_or(kGib);
    const uint64_t overhead = in_cluster && (yarn_ || kubernetes_) ? OverheadOf(input, heap, kubernetes_) : 0;
    Budget budget;
    AddHeapRegions(input, heap, budget);
    budget.regions.push_back({"overhead", overhead});
    budget.regions.push_back({"offHeap", OffHeap(input)});
    budget.regions.push_back({"pyspark", 0});
    if (in_cluster) {
      const uint64_t requested = heap + overhead;
      SetLimit(input, requested, yarn_ || kubernetes_, budget, yarn_ ? GrantedByYarn(input, requested) : requested);
      return budget;
    }
    budget.requested_bytes = heap;
    budget.limit_bytes = input.cgroup_limit_bytes ? input.cgroup_limit_bytes : input.host_memory_bytes;
    if (budget.limit_bytes) budget.limit_source = input.cgroup_limit_bytes ? LimitSource::kCgroup : LimitSource::kHost;
    return budget;
  }

 private:
  bool yarn_, kubernetes_;
};

}  // namespace

// On Kubernetes the driver's pod runs spark-submit in client mode; Spark marks that by the second setting.
bool DriverHasContainer(const SparkSettings* settings) {
  return Is(settings, "spark.submit.deployMode", "cluster") || FlagSetting(settings, "spark.kubernetes.submitInDriver", false);
}

bool SettingsSizeDriversContainer(const SparkSettings* settings) {
  return DriverHasContainer(settings) && SettingsSizeContainers(settings);
}

uint64_t GrantedToDriver(const SparkSettings& settings) {
  if (!SettingsSizeDriversContainer(&settings)) return 0;
  BudgetInput input;
  input.settings = &settings;
  return Driver(settings.at("spark.master")).BudgetOf(input).limit_bytes.value_or(0);
}

uint64_t BesideDriversHeap(const SparkSettings* settings, uint64_t heap_bytes) {
  BudgetInput input;
  if (SettingsSizeDriversContainer(settings)) input.settings = settings;
  return OverheadOf(input, heap_bytes, !IsOnYarn(settings));
}

std::unique_ptr<ClusterManager> ClusterManagerOfDriver(std::string_view master) {
  if (master == "program" || IsLocal(master)) return nullptr;
  return std::make_unique<Driver>(master);
}

}  // namespace memprof
