#include "postmortem/post_mortems.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "postmortem/death_writer.h"
#include "postmortem/deaths.h"
#include "postmortem/last_sites.h"
#include "postmortem/result_limit.h"
#include "report/death_keys.h"
#include "report/many_deaths.h"
#include "rollup/executor_rows.h"
#include "rollup/unexpected_end.h"

namespace memprof {
namespace {

using WriteDeath = std::function<ReportPostMortem(DeathWriter&, DeathDetail)>;

using IsWanted = std::function<bool(const std::string& key)>;

// The state's deaths, in no particular order. What they refer to lives as long as `state` and `rows`, which is used by their writers.
std::vector<WriteDeath> Deaths(const StoreState& state, RowsOfExecutors& rows, const IsWanted& is_wanted) {
  std::vector<WriteDeath> deaths;
  const auto add = [&](std::string_view name, auto write) {
    const auto known = state.executors.find(name);
    if (known == state.executors.end()) return;
    deaths.emplace_back([&rows, &id = known->first, &facts = known->second, write](DeathWriter& writer, DeathDetail detail) {
      return write(writer, *rows.Of(id), facts, detail);
    });
  };
  for (const auto& [id, died] : state.executors) {
    if (!EndedUnexpectedly(id, died, state) || !is_wanted(ExecutorDeathKey(id))) continue;
    add(id, [](DeathWriter& writer, const ReportExecutor& row, const ExecutorFacts& facts, DeathDetail detail) {
      return writer.OfExecutor(row, facts, detail);
    });
  }
  ForEachWorkerDeath(state, [&](const std::string& id, const proto::WorkerDeath& worker) {
    if (!is_wanted(WorkerDeathKeyOf(id, worker.pid(), worker.start_ticks(), worker.task_attempt_id()))) return;
    add(id, [worker](DeathWriter& writer, const ReportExecutor& row, const ExecutorFacts& facts, DeathDetail detail) {
      return worker.drivers_own() ? writer.OfDriversPython(row, facts, worker, detail) : writer.OfWorker(row, facts, worker, detail);
    });
  });
  ForEachRefusal(state, [&](const std::string& id, int64_t task_attempt_id, const TaskFacts& task, const InternedIncident& refusal) {
    if (!is_wanted(WorkerDeathKeyOf(id, refusal.pid, refusal.start_ticks, task_attempt_id))) return;
    add(id,
        [task_attempt_id, &task, &refusal](DeathWriter& writer, const ReportExecutor& row, const ExecutorFacts& facts, DeathDetail detail) {
          return writer.OfRefusal(row, facts, task_attempt_id, task, refusal, detail);
        });
  });
  for (const SurvivedHeapError& survived : SurvivedHeapErrors(state)) {
    if (!is_wanted(HeapErrorKey(survived.executor_id, survived.error.task_attempt_id(), survived.error.time_ms()))) continue;
    add(survived.executor_id, [survived](DeathWriter& writer, const ReportExecutor& row, const ExecutorFacts& facts, DeathDetail detail) {
      return writer.OfHeapError(row, facts, survived, detail);
    });
  }
  for (const ReportPostMortem& death : ResultLimitDeaths(state)) {
    if (is_wanted(DeathKey(death))) deaths.emplace_back([death](DeathWriter&, DeathDetail) { return death; });
  }
  return deaths;
}

}  // namespace

PostMortemRows PostMortems(const StoreState& state, const std::vector<ReportExecutor>& executors, bool& awaits_names) {
  PostMortemRows result;
  RowsOfExecutors rows(state, executors);
  const std::vector<WriteDeath> deaths = Deaths(state, rows, [](const std::string&) { return true; });
  if (deaths.empty()) return result;
  DeathWriter writer(state, awaits_names);
  const bool all_fit = deaths.size() <= kMaxPostMortems;
  std::vector<ReportPostMortem> written;
  for (const WriteDeath& write : deaths) written.push_back(write(writer, all_fit ? DeathDetail::kInFull : DeathDetail::kInShort));
  const ChosenDeaths chosen = NewestAndLargest(kMaxPostMortems, written);
  for (const size_t i : chosen.shown) result.shown.push_back(all_fit ? std::move(written[i]) : deaths[i](writer, DeathDetail::kInFull));
  for (const size_t i : chosen.others) result.others.push_back(InShort(written[i]));
  result.dropped = SortAndBound(result.others);
  return result;
}

size_t CountDeaths(const StoreState& state) {
  RowsOfExecutors rows(state, {});
  return Deaths(state, rows, [](const std::string&) { return true; }).size();
}

std::vector<ReportPostMortem> PostMortemsOf(const StoreState& state, const std::set<std::string>& keys) {
  std::vector<ReportPostMortem> post_mortems;
  if (keys.empty()) return post_mortems;
  RowsOfExecutors rows(state, {});
  bool awaits_names = false;
  DeathWriter writer(state, awaits_names);
  for (const WriteDeath& write : Deaths(state, rows, [&](const std::string& key) { return keys.contains(key); })) {
    post_mortems.push_back(write(writer, DeathDetail::kInFull));
  }
  std::stable_sort(post_mortems.begin(), post_mortems.end(), [](const ReportPostMortem& a, const ReportPostMortem& b) {
    return std::pair(a.time_ms, DeathKey(a)) < std::pair(b.time_ms, DeathKey(b));
  });
  return post_mortems;
}

std::vector<ReportSite> SitesHeldBy(int64_t task_attempt_id, const StoreState& state) {
  const auto task = state.tasks.find(task_attempt_id);
  if (task == state.tasks.end() || !task->second.profile) return {};
  bool awaits_names = false;
  const NamedStacks stacks(*state.interner, state.symbols);
  const std::vector<LastTask> tasks = {{task_attempt_id, &task->second}};
  return SitesAtLastSample(tasks, task->second.profile->taken_ms, *state.interner, stacks, kSitesShown, awaits_names);
}

}  // namespace memprof
