#include "rollup/unexpected_end.h"

#include <string>

#include "rollup/executor_limit.h"
#include "rollup/parsed_snapshot.h"

namespace memprof {

std::optional<double> LastShareOfLimit(const ExecutorFacts& facts, const StoreState& state) {
  constexpr int64_t kFreshMs = 60'000;
  const ParsedSnapshot snapshot(facts);
  if (!snapshot->has_last() || facts.clock.ToDriver(snapshot->last().time_ms()) + kFreshMs < GoneMs(facts)) return std::nullopt;
  const uint64_t limit = EnforcedLimit(facts, *snapshot, state).value_or(0);
  return limit == 0 ? 0 : static_cast<double>(snapshot->last().used_bytes()) / static_cast<double>(limit);
}

bool KernelKilledBeside(std::string_view id, const ExecutorFacts& facts, const StoreState& state) {
  if (!facts.host_kills_after) return false;
  const ParsedSnapshot snapshot(facts);
  uint64_t of_workers = 0;  // that its own count doesn't have yet, on the one clock of their host
  const auto add = [&](const std::string& executor_id) {
    ForEachWorkerDeathIn(executor_id, state.worker_deaths, [&](const proto::WorkerDeath& worker) {
      const bool since = worker.time_ms() > snapshot->taken_ms();
      if (since && facts.clock.ToDriver(worker.time_ms()) <= GoneMs(facts) + kTellsOfAnEndMs) of_workers += worker.oom_kills();
    });
  };
  add(std::string(id));
  if (facts.host_kills_after->reader != id) add(facts.host_kills_after->reader);
  return facts.host_kills_after->count > snapshot->host_oom_kills() + of_workers;
}

LossReason LossOf(std::string_view id, const ExecutorFacts& facts, const StoreState& state) {
  constexpr int64_t kSilentMs = 40'000;  // spark.network.timeout is 120 s or what the user sets; while tasks run, samples come every ten
  const auto named = state.configuration.find("spark.kubernetes.executor.podTemplateContainerName");
  const std::string_view own = named == state.configuration.end() ? kSparkContainer : std::string_view(named->second);
  LossReason loss = ParseLossReason(facts.removed_reason, own);
  if (!facts.task_lost_ms) return loss;
  if (loss.decommissioned && (LastShareOfLimit(facts, state) >= kNearlyFull || KernelKilledBeside(id, facts, state)))
    loss.kind = LossKind::kUnknown;
  if (!loss.by_driver) return loss;
  const ParsedSnapshot snapshot(facts);
  if (!snapshot->has_last() || facts.clock.ToDriver(snapshot->last().time_ms()) + kSilentMs > GoneMs(facts)) return loss;
  loss.kind = LossKind::kUnknown;
  loss.silent = true;
  return loss;
}

}  // namespace memprof
