#include "budget/container_budget.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/setting_value.h"
#include "budget/memory_size.h"

namespace memprof {
namespace {

constexpr uint64_t kReservedHeap = 300 * kMib;  // UnifiedMemoryManager.RESERVED_SYSTEM_MEMORY_BYTES

const std::string* Find(const SparkSettings* settings, std::string_view key) {
  if (settings == nullptr) return nullptr;
  auto found = settings->find(key);
  return found == settings->end() ? nullptr : &found->second;
}

double FractionOr(const BudgetInput& input, std::string_view key, double otherwise) {
  std::optional<double> fraction = FractionSetting(input, key);
  return fraction && *fraction >= 0 && *fraction <= 1 ? *fraction : otherwise;
}

}  // namespace

std::optional<uint64_t> MemorySetting(const BudgetInput& input, std::string_view key, uint64_t default_unit) {
  const std::string* text = Find(input.settings, key);
  if (text == nullptr) return std::nullopt;
  Result<uint64_t> size = ParseMemorySize(*text, default_unit);
  return size.ok() ? std::optional(*size) : std::nullopt;
}

std::optional<double> FractionSetting(const BudgetInput& input, std::string_view key) {
  const std::string* text = Find(input.settings, key);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = Trimmed(*text);
  double value = 0;
  auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || rest != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool FlagSetting(const SparkSettings* settings, std::string_view key, bool otherwise) {
  const std::string* text = Find(settings, key);
  return text == nullptr ? otherwise : ParseBoolean(*text).value_or(otherwise);
}

uint64_t RequestedHeap(const BudgetInput& input) {
  if (input.heap_mib) return *input.heap_mib * kMib;
  return MemorySetting(input, "spark.executor.memory", kMib).value_or(kGib);
}

uint64_t Overhead(const BudgetInput& input, double factor) {
  if (input.overhead_mib) return *input.overhead_mib * kMib;
  if (auto explicitly = MemorySetting(input, "spark.executor.memoryOverhead", kMib)) return *explicitly;
  uint64_t minimum = MemorySetting(input, "spark.executor.minMemoryOverhead", kMib).value_or(kMinOverheadBytes);
  uint64_t default_heap = MemorySetting(input, "spark.executor.memory", kMib).value_or(kGib);
  auto share_mib = static_cast<uint64_t>(std::max(factor, 0.0) * static_cast<double>(default_heap / kMib));
  return std::max(share_mib * kMib, minimum);
}

uint64_t OffHeap(const BudgetInput& input) {
  if (!FlagSetting(input.settings, "spark.memory.offHeap.enabled", false)) return 0;
  if (input.offheap_mib) return *input.offheap_mib * kMib;
  return MemorySetting(input, "spark.memory.offHeap.size", 1).value_or(0);
}

uint64_t PysparkMemory(const BudgetInput& input) {
  if (input.pyspark_mib) return *input.pyspark_mib * kMib;
  return MemorySetting(input, "spark.executor.pyspark.memory", kMib).value_or(0);
}

void AddHeapRegions(const BudgetInput& input, uint64_t requested_heap, Budget& budget) {
  budget.heap_from_request = !input.heap_max_bytes;
  uint64_t heap = input.heap_max_bytes.value_or(requested_heap);
  uint64_t reserved = std::min(kReservedHeap, heap);
  uint64_t usable = heap - reserved;
  auto spark = static_cast<uint64_t>(static_cast<double>(usable) * FractionOr(input, "spark.memory.fraction", 0.6));
  auto storage = static_cast<uint64_t>(static_cast<double>(spark) * FractionOr(input, "spark.memory.storageFraction", 0.5));
  budget.regions.push_back({"heap.reserved", reserved});
  budget.regions.push_back({"heap.storage", storage});
  budget.regions.push_back({"heap.execution", spark - storage});
  budget.regions.push_back({"heap.user", usable - spark});
}

void SetLimit(const BudgetInput& input, uint64_t requested, bool enforced, Budget& budget, uint64_t granted) {
  budget.requested_bytes = requested;
  if (input.cgroup_limit_bytes) {
    budget.limit_bytes = input.cgroup_limit_bytes;
    budget.limit_source = LimitSource::kCgroup;
    return;
  }
  granted = std::max(granted, requested);
  bool beyond_host = input.host_memory_bytes && *input.host_memory_bytes < granted;
  budget.limit_bytes = beyond_host ? *input.host_memory_bytes : granted;
  budget.limit_source = beyond_host ? LimitSource::kHost : LimitSource::kSpark;
  budget.limit_enforced = enforced || beyond_host;
}

}  // namespace memprof
