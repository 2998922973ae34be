#include "rollup/bounds.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "facts/counters.h"
#include "facts/lead_lines.h"
#include "facts/named_stacks.h"
#include "report/many_deaths.h"
#include "rollup/accounting.h"
#include "rollup/executor_rows.h"
#include "rollup/left_memory.h"
#include "rollup/short_executors.h"
#include "rollup/site_rollup.h"
#include "rollup/task_rows.h"
#include "rollup/time_lines.h"
#include "rollup/unexpected_end.h"

namespace memprof {
namespace {

// Which tasks may be folded; those that lose least come first.
enum class Foldable { kSettled, kStageComplete, kFinal, kEnded };

bool MayFold(Foldable level, const StageFacts& stage, const AccountedTask& task) {
  if (task.account == Account::kUnknown) return false;
  bool final = task.task->profile && task.task->profile->final;
  // A post-mortem shows the sites of the tasks that died, so these are kept longest.
  bool may_be_shown =
      task.account != Account::kCounted && task.task->profile && (task.task->profile->died() || !task.task->profile->incidents.empty());
  if (may_be_shown && level != Foldable::kEnded) return false;
  switch (level) {
    case Foldable::kSettled:
      return stage.completed && final;
    case Foldable::kStageComplete:
      return stage.completed;
    case Foldable::kFinal:
      return final;
    case Foldable::kEnded:
      break;
  }
  return true;
}

void Fold(const AccountedTask& task, const NamedStacks& stacks, const LeadLines& leads, const Operators& operators, StageFacts& stage,
          StoreState& state) {
  const TaskFacts& facts = *task.task;
  bool counted = task.account == Account::kCounted;
  FoldedTasks& sums = counted ? stage.folded : stage.folded_others;
  ++stage.folded_accounts[static_cast<size_t>(task.account)];
  stage.folded_rows.push_back(RowOf(task, operators));
  if (counted) stage.folded_partitions.Add(facts.partition);
  if (!counted && facts.error != 0) ++stage.folded_errors[facts.error];
  if (facts.profile) {
    FoldTask(*facts.profile, stacks, leads, sums);
    if (counted) ++stage.folded_profiled;
    if (counted && facts.profile->partial) ++stage.folded_partial;
    for (const InternedCounter& counter : facts.profile->counters) {
      AddCounter(state.interner->StringAt(counter.name), counter.value, state.folded_counters);
    }
  }
  state.folded_tasks.Add(task.task_attempt_id);
  if (facts.outcome == TaskOutcome::kFailed) state.folded_failures.Add(task.task_attempt_id);
  state.tasks.erase(task.task_attempt_id);
}

void FoldTasks(Foldable level, StoreState& state) {
  const NamedStacks stacks(*state.interner, state.symbols);
  const LeadLines leads(*state.interner);
  const Operators operators(*state.interner);
  std::map<StageKey, std::vector<AccountedTask>> by_stage = TasksByStage(state);
  for (auto& [key, tasks] : by_stage) {
    StageFacts& stage = state.Stage(key);
    AccountTasks(stage, tasks);
    for (const AccountedTask& task : tasks) {
      if (MayFold(level, stage, task)) Fold(task, stacks, leads, operators, stage, state);
    }
  }
}

// Strings, stacks and names that nothing refers to any more are forgotten by copying the rest. `unnamed`: see KeepWithinLimit.
void Compact(const std::set<LeftFrame>& unnamed, StoreState& state) {
  auto fresh = std::make_unique<Interner>(&state.memory);
  const std::vector<uint32_t> left_frames = InternNamed(unnamed, state);
  InternerCopy copy(*state.interner, *fresh);
  for (const uint32_t frame : left_frames) copy.Frame(frame);
  auto move_site = [&](SiteKey& key) {
    key.stack = copy.Stack(key.stack);
    key.udf = copy.Udf(key.udf);
  };
  for (auto& [id, task] : state.tasks) {
    task.error = copy.String(task.error);
    task.fatal = copy.String(task.fatal);
    task.executor = copy.String(task.executor);
    if (!task.profile) continue;
    for (InternedSite& site : task.profile->sites) move_site(site.key);
    for (UdfId& udf : task.profile->udfs) udf = copy.Udf(udf);
    for (InternedIncident& incident : task.profile->incidents) incident.stack = copy.Stack(incident.stack);
    for (InternedLeft& left : task.profile->left) left.stack = copy.Stack(left.stack);
    for (InternedCounter& counter : task.profile->counters) counter.name = copy.String(counter.name);
    for (InternedTaskMemory::Consumer& consumer : task.profile->spark_memory.consumers) consumer.name = copy.String(consumer.name);
  }
  for (auto& [key, stage] : state.stages) {
    stage.name = copy.String(stage.name);
    stage.call_site = copy.String(stage.call_site);
    stage.failure_reason = copy.String(stage.failure_reason);
    for (FoldedTasks* folded : {&stage.folded, &stage.folded_others}) {
      decltype(folded->sites) sites(&state.memory);
      for (auto& [site, figures] : folded->sites) {
        SiteKey moved = site;
        move_site(moved);
        sites.emplace(moved, figures);
      }
      folded->sites = std::move(sites);
      decltype(folded->lines) lines(&state.memory);
      for (auto& [line, figures] : folded->lines) {
        lines.emplace(LineKey{line.frame == 0 ? 0 : copy.Frame(line.frame - 1) + 1, copy.Udf(line.udf)}, figures);
      }
      folded->lines = std::move(lines);
      decltype(folded->udfs) udfs(&state.memory);
      for (auto& [udf, figures] : folded->udfs) udfs.emplace(copy.Udf(udf), figures);
      folded->udfs = std::move(udfs);
      folded->spark_memory.MoveTo(copy, &state.memory);
    }
    for (FoldedTaskRow& row : stage.folded_rows) row.executor = copy.String(row.executor);
    stage.folded_rows.shrink_to_fit();
    decltype(stage.folded_errors) errors(&state.memory);
    for (const auto& [error, count] : stage.folded_errors) errors[copy.String(error)] += count;
    stage.folded_errors = std::move(errors);
  }
  state.growth.MoveTo(copy);
  SymbolTable symbols = state.symbols.CopyUsed(copy, &state.memory);
  state.symbols = std::move(symbols);
  SourceTable source = state.source.CopyUsed(copy, &state.memory);
  state.source = std::move(source);
  state.interner = std::move(fresh);
  decltype(state.tasks) tasks(&state.memory);  // a hash table keeps its buckets until it is rebuilt
  for (auto& [id, task] : state.tasks) tasks.emplace(id, std::move(task));
  state.tasks = std::move(tasks);
}

uint64_t WeightOf(const SiteFigures& figures) {
  uint64_t live = figures.live_at_peak_bytes == kUnmeasured ? 0 : figures.live_at_peak_bytes;
  return std::max(live, figures.allocated_bytes / std::max(1u, figures.tasks));
}

// Keeps the `keep` heaviest entries; `dropped` sees each of the others before it goes.
template <typename Map, typename Dropped>
void KeepHeaviest(size_t keep, Map& map, Dropped dropped) {
  if (map.size() <= keep) return;
  using Key = typename Map::key_type;
  std::vector<std::pair<uint64_t, Key>> weights;
  for (const auto& [key, figures] : map) weights.emplace_back(WeightOf(figures), key);
  auto border = weights.begin() + static_cast<ptrdiff_t>(keep);
  std::nth_element(weights.begin(), border, weights.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto weight = border; weight != weights.end(); ++weight) {
    auto found = map.find(weight->second);
    dropped(found->first, found->second);
    map.erase(found);
  }
}

void DropLightest(size_t keep, FoldedTasks& folded, StoreState& state) {
  KeepHeaviest(keep, folded.sites, [&](const SiteKey& key, const SiteFigures& figures) {
    OriginFigures& remainder = folded.remainders[static_cast<size_t>(key.origin)];
    remainder.sites += 1;
    remainder.allocated_bytes += figures.allocated_bytes;
    remainder.allocations += figures.allocations;
    ++state.dropped_sites;
  });
  KeepHeaviest(keep, folded.lines, [&](const LineKey&, const SiteFigures&) { ++state.dropped_lines; });
  state.dropped_consumers += folded.spark_memory.Keep(keep);
}

// Drops error texts beyond the number that a report may show.
void DropRarestErrors(StageFacts& stage) {
  constexpr size_t kErrors = 16;
  if (stage.folded_errors.size() <= kErrors) return;
  std::vector<std::pair<uint64_t, StringId>> counts;
  for (const auto& [error, count] : stage.folded_errors) counts.emplace_back(count, error);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  for (size_t i = kErrors; i < counts.size(); ++i) {
    stage.dropped_error_tasks += counts[i].first;
    stage.folded_errors.erase(counts[i].second);
  }
}

// Drops stages that are complete and have no task left, the lightest and oldest first, until `keep` stages are left.
size_t DropStages(size_t keep, StoreState& state) {
  if (state.stages.size() <= keep) return 0;
  const std::map<StageKey, std::vector<AccountedTask>> by_stage = TasksByStage(state);
  using Rank = decltype(RankOf(StageKey(), std::declval<const StageFacts&>(), StageSums()));
  std::vector<Rank> ranks;
  for (const auto& [key, stage] : state.stages) {
    if (stage.completed && !by_stage.contains(key)) ranks.push_back(RankOf(key, stage, SumsOf(stage, {})));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.resize(std::min(ranks.size(), state.stages.size() - keep));
  for (const Rank& rank : ranks) {
    auto stage = state.stages.find(std::get<StageKey>(rank));
    state.dropped_stages.Add(SumsOf(stage->second, {}));
    state.stages.erase(stage);
  }
  return ranks.size();
}

enum class MayGo { kRemovedOnPurpose, kAllRemoved };

// Likewise drops removed executors. Only numbered ones: Spark never uses a number twice, so their late messages are recognised by it.
// Those that were removed on purpose go first: the death of an executor, and of its workers, is only told while the executor is known.
size_t DropExecutors(size_t keep, MayGo which, StoreState& state) {
  if (state.executors.size() <= keep) return 0;
  std::set<std::string> with_deaths;
  state.worker_deaths.ForEach([&](const WorkerDeathKey& key, const proto::WorkerDeath&) { with_deaths.insert(std::get<0>(key)); });
  using Rank = std::tuple<bool, uint64_t, int64_t, int64_t>;  // whether a death is told, bytes at its peak, time of removal, number
  std::vector<Rank> ranks;
  for (const auto& [id, executor] : state.executors) {
    std::optional<int64_t> number = ExecutorNumber(id);
    if (!number || !executor.removed) continue;
    const bool told = EndedUnexpectedly(id, executor, state) || with_deaths.contains(std::string(id));
    if (told && which == MayGo::kRemovedOnPurpose) continue;
    ranks.emplace_back(told, executor.peak_used_bytes.value_or(0), executor.removed_ms, *number);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.resize(std::min(ranks.size(), state.executors.size() - keep));
  for (const auto& [told, use, removed_ms, number] : ranks) {
    auto executor = state.executors.find(std::string_view(std::to_string(number)));
    if (executor == state.executors.end()) continue;
    state.dropped_executors.Add(executor->second, state, state.folded_counters);
    state.dropped_executor_numbers.Add(number);
    state.dropped_retained_heaps += executor->second.retained.empty() ? 0 : 1;
    if (EndedUnexpectedly(executor->first, executor->second, state)) ++state.dropped_executor_deaths;
    ForEachWorkerDeathIn(std::to_string(number), state.worker_deaths,
                         [&](const proto::WorkerDeath& death) { state.dropped_executor_deaths += WasKilledOrFailed(death, state); });
    state.executors.erase(executor);
  }
  return ranks.size();
}

void DropRunningProfiles(StoreState& state) {
  for (auto task = state.tasks.begin(); task != state.tasks.end();) {
    if (!task->second.profile) {
      ++task;
      continue;
    }
    ++state.dropped_tasks;
    task = state.tasks.erase(task);
  }
}

}  // namespace

void KeepWithinLimit(StoreState& state) {
  if (state.memory.bytes() <= state.limit_bytes) return;
  const uint64_t target = state.limit_bytes / 4 * 3;
  // The messages of many executors, which are read only once. Names of those that are dropped below are forgotten the next time.
  const std::set<LeftFrame> unnamed = UnnamedLeftFrames(state);
  auto fits = [&] {
    Compact(unnamed, state);
    return state.memory.bytes() <= target;
  };
  if (fits()) return;
  // Thins the time lines of executors; every peak stays.
  while (HalveTimeLines(state)) {
    if (fits()) return;
  }
  for (Foldable level : {Foldable::kSettled, Foldable::kStageComplete, Foldable::kFinal, Foldable::kEnded}) {
    FoldTasks(level, state);
    if (fits()) return;
  }
  // First drops stages and executors that have no row in a report anyway.
  if (DropStages(kMostStageRows, state) + DropExecutors(kMostExecutorRows, MayGo::kRemovedOnPurpose, state) != 0 && fits()) return;
  constexpr WholeExecutors kWhole = {kMostExecutorRows, kMaxPostMortems};
  if (ShortenExecutors(kWhole, state) != 0 && fits()) return;
  if (DropRetained(kWhole, state) != 0 && fits()) return;
  for (size_t keep = 2048; keep >= 128; keep /= 4) {
    size_t gone = 0;
    for (auto& [key, stage] : state.stages) gone += KeepHeaviestRows(keep, stage);
    state.dropped_task_rows += gone;
    if (gone != 0 && fits()) return;
  }
  for (size_t keep = 256; keep >= 4; keep /= 4) {
    for (auto& [key, stage] : state.stages) {
      state.dropped_task_rows += KeepHeaviestRows(keep, stage);
      DropRarestErrors(stage);
      DropLightest(keep, stage.folded, state);
      DropLightest(keep, stage.folded_others, state);
    }
    if (fits()) return;
  }
  for (size_t keep = Growth::kMostWorkers / 4; keep >= 8; keep /= 4) {
    if (state.growth.Keep(keep) != 0 && fits()) return;
  }
  for (size_t keep = CachedData::kMostDatasets / 4; keep >= 8; keep /= 4) {
    const size_t gone = state.cached.Keep(keep);
    state.dropped_cached += gone;
    if (gone != 0 && fits()) return;
  }
  for (size_t keep = DriverActions::kMostActions / 4; keep >= 8; keep /= 4) {
    if (state.actions.Keep(keep) != 0 && fits()) return;
  }
  for (size_t keep = kMostStageRows / 2; keep >= 8; keep /= 2) {
    if (DropStages(keep, state) + DropExecutors(keep, MayGo::kAllRemoved, state) != 0 && fits()) return;
  }
  // Frees a little more than needed: otherwise all of the above would run again for the next event.
  if (state.memory.bytes() <= state.limit_bytes - state.limit_bytes / 16) return;
  DropRunningProfiles(state);
  Compact(unnamed, state);
}

}  // namespace memprof
