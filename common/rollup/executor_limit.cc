#include "rollup/executor_limit.h"

namespace memprof {
namespace {

std::optional<uint64_t> Given(int64_t value) { return value < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(value)); }

}  // namespace

std::string_view MasterOf(const StoreState& state) {
  if (!state.application.master.empty()) return state.application.master;
  const auto setting = state.configuration.find("spark.master");
  return setting == state.configuration.end() ? std::string_view() : std::string_view(setting->second);
}

std::optional<uint64_t> CgroupLimit(const proto::ExecutorSnapshot& snapshot) {
  const bool was_widened = snapshot.host_is_group() && snapshot.host_memory_clock_ms() > snapshot.cgroup_limit_clock_ms();
  return snapshot.has_cgroup_limit_bytes() && !was_widened ? std::optional(snapshot.cgroup_limit_bytes()) : std::nullopt;
}

BudgetInput RequestOf(const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot, const StoreState& state) {
  BudgetInput input;
  input.settings = &state.configuration;
  input.heap_mib = Given(facts.heap_mib);
  input.overhead_mib = Given(facts.overhead_mib);
  input.offheap_mib = Given(facts.offheap_mib);
  input.pyspark_mib = Given(facts.pyspark_mib);
  if (snapshot.has_heap_max_bytes()) input.heap_max_bytes = snapshot.heap_max_bytes();
  input.cgroup_limit_bytes = CgroupLimit(snapshot);
  if (snapshot.has_host_memory_bytes()) input.host_memory_bytes = snapshot.host_memory_bytes();
  return input;
}

// A YARN NodeManager looks every three seconds (yarn.nodemanager.resource-monitor.interval-ms) and ends whoever is above what it granted.
// What it and we count differs by a little.
bool LivedAbove(const ExecutorFacts& facts, const Budget& budget) {
  constexpr double kAbove = 1.03;
  if (budget.limit_source != LimitSource::kSpark || !budget.limit_bytes) return false;
  return static_cast<double>(facts.held.bytes()) > kAbove * static_cast<double>(*budget.limit_bytes);
}

std::optional<uint64_t> EnforcedLimit(const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot, const StoreState& state) {
  const Budget budget = ClusterManagerOf(MasterOf(state))->BudgetOf(RequestOf(facts, snapshot, state));
  return budget.limit_enforced && !LivedAbove(facts, budget) ? budget.limit_bytes : std::nullopt;
}

}  // namespace memprof
