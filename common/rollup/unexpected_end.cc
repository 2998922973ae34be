#include "rollup/unexpected_end.h"

#include "budget/budget.h"
#include "rollup/parsed_snapshot.h"

namespace memprof {

bool WasNearLimit(const ExecutorFacts& facts, const StoreState& state) {
  constexpr int64_t kFreshMs = 60'000;
  constexpr double kNearlyFull = 0.85;
  const ParsedSnapshot snapshot(facts);
  if (!snapshot->has_last() || facts.clock.ToDriver(snapshot->last().time_ms()) + kFreshMs < GoneMs(facts)) return false;
  const uint64_t limit = snapshot->has_cgroup_limit_bytes() ? snapshot->cgroup_limit_bytes() : GrantedBytes(state.configuration);
  return limit != 0 && static_cast<double>(snapshot->last().used_bytes()) >= kNearlyFull * static_cast<double>(limit);
}

LossReason LossOf(const ExecutorFacts& facts, const StoreState& state) {
  constexpr int64_t kSilentMs = 40'000;  // spark.network.timeout is 120 s or what the user sets; while tasks run, samples come every ten
  const auto named = state.configuration.find("spark.kubernetes.executor.podTemplateContainerName");
  const std::string_view own = named == state.configuration.end() ? kSparkContainer : std::string_view(named->second);
  LossReason loss = ParseLossReason(facts.removed_reason, own);
  if (!facts.task_lost_ms) return loss;
  if (loss.decommissioned && WasNearLimit(facts, state)) loss.kind = LossKind::kUnknown;
  if (!loss.by_driver) return loss;
  const ParsedSnapshot snapshot(facts);
  if (!snapshot->has_last() || facts.clock.ToDriver(snapshot->last().time_ms()) + kSilentMs > GoneMs(facts)) return loss;
  loss.kind = LossKind::kUnknown;
  loss.silent = true;
  return loss;
}

}  // namespace memprof
