#include "postmortem/advice_for.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "advice/advice.h"
#include "postmortem/driver_heap.h"
#include "rollup/executor_rows.h"
#include "rollup/named_cached.h"

namespace memprof {
namespace {

// For a removed executor, what it had cached when it was removed; Spark's block manager no longer knows.
CachedByMode CachedIn(const std::string& executor_id, const StoreState& state) {
  const auto facts = state.executors.find(std::string_view(executor_id));
  if (facts != state.executors.end() && facts->second.removed) return NamedCached(facts->second.cached_then, state.cached);
  return NamedCached({state.cached.LargestIn(executor_id, false), state.cached.LargestIn(executor_id, true)}, state.cached);
}

// Pools are looked at once in a second; another look is of another moment.
std::optional<uint64_t> SparksOffHeapAt(const proto::ExecutorSnapshot& snapshot) {
  constexpr double kOfTheMomentMs = 2000;
  if (!snapshot.has_last()) return std::nullopt;
  for (const proto::SparkPool& pool : snapshot.spark_pools()) {
    const double apart_ms = static_cast<double>(snapshot.last().clock_ms()) - static_cast<double>(pool.last_clock_ms());
    if (!pool.last().off_heap() || std::abs(apart_ms) > kOfTheMomentMs) continue;
    return pool.last().storage_bytes() + pool.last().execution_bytes();
  }
  return std::nullopt;
}

// How long the task had run when its profile was taken; negative: not known.
int64_t RanMs(const TaskFacts& task, const RemoteClock& clock) {
  return task.profile && task.launched_ms != 0 ? clock.ToDriver(task.profile->taken_ms) - task.launched_ms : -1;
}

// Of tasks that have run for half of the first one's time or more; others have allocated less only because they have just begun.
std::vector<uint64_t> HeapByTask(const std::vector<LastTask>& tasks, const Operators& operators, const RemoteClock& clock) {
  std::vector<uint64_t> bytes;
  const int64_t first_ms = RanMs(*tasks.front().task, clock);
  for (const LastTask& each : tasks) {
    const int64_t ran_ms = RanMs(*each.task, clock);
    if (first_ms < 0 || ran_ms < 0 || ran_ms < first_ms / 2) return {};
    bytes.push_back(OwnHeap(each, operators));
  }
  return bytes;
}

void PutPeers(BesidePeers beside, AdviceInput& input) {
  input.task_bytes = beside.task_bytes;
  input.once_bytes = beside.once_bytes;
  input.peer_bytes = std::move(beside.peer_bytes);
}

std::set<std::string> UdfKindsOf(const std::vector<LastTask>& tasks, const StoreState& state) {
  std::set<std::string> kinds;
  for (const LastTask& task : tasks) {
    if (!task.task->profile) continue;
    for (const UdfId udf : task.task->profile->udfs) kinds.emplace(state.interner->StringAt(state.interner->UdfAt(udf).kind));
  }
  return kinds;
}

}  // namespace

std::vector<ReportAdvice> AdviceFor(const DeathFacts& facts, const Operators& operators, Peers& peers, const StoreState& state) {
  const ReportPostMortem& death = facts.death;
  const std::vector<LastTask>& tasks = facts.tasks;
  const Verdict& verdict = facts.verdict;
  AdviceInput input;
  input.executor = &facts.executor;
  std::optional<ReportPostMortem> without_sites;
  if (death.sites_of_attempt) {  // they are of another attempt, of another moment
    without_sites = death;
    without_sites->sites.clear();
  }
  input.death = without_sites ? &*without_sites : &death;
  input.of_heap = verdict.of_heap;
  input.of_host = verdict.of_host;
  input.of_address_space = verdict.of_address_space;
  if (verdict.of_jvm) input.shortage = facts.shortage;
  if (verdict.of_array) input.shortage.emplace().pool = JvmPool::kArray;
  const SparkSettings settings = state.SettingsOf(death.stage_id);
  input.settings = &settings;
  input.tasks_at_once = tasks.size();
  const auto executor = state.executors.find(std::string_view(facts.executor.id));
  const bool is_askers = facts.asker && !tasks.empty() && tasks.front().task_attempt_id == *facts.asker;
  if (verdict.of_heap && is_askers && executor != state.executors.end())
    input.heap_by_task = HeapByTask(tasks, operators, executor->second.clock);
  if (facts.action) input.result_bytes = ExpectedResults(*facts.action);
  if (facts.snapshot.has_last()) input.last = MomentRow(facts.snapshot.last());
  input.spark_off_heap = SparksOffHeapAt(facts.snapshot);
  if (!tasks.empty()) {
    PutPeers(verdict.of_heap ? peers.Allocated(tasks.front(), operators) : peers.Held(tasks.front(), operators), input);
  }
  input.cached = facts.cached ? NamedCached(*facts.cached, state.cached) : CachedIn(facts.executor.id, state);
  if (!death.sites_of_attempt) input.udf_kinds = UdfKindsOf(tasks, state);
  return Advise(input);
}

}  // namespace memprof
