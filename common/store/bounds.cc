#include "store/bounds.h"

#include <algorithm>
#include <map>
#include <vector>

#include "store/accounting.h"
#include "store/counters.h"
#include "store/lead_lines.h"
#include "store/rollup.h"

namespace memprof {
namespace {

// Which tasks may be folded, gentlest first.
enum class Foldable { kSettled, kStageComplete, kFinal, kEnded };

bool MayFold(Foldable level, const StageRecord& stage, const AccountedTask& task) {
  if (task.account == Account::kUnknown) return false;
  bool final = task.task->profile && task.task->profile->final;
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

void Fold(const AccountedTask& task, const LeadLines& leads, StageRecord& stage, StoreState& state) {
  const TaskRecord& record = *task.task;
  bool counted = task.account == Account::kCounted;
  FoldedTasks& sums = counted ? stage.folded : stage.folded_others;
  ++stage.folded_accounts[static_cast<size_t>(task.account)];
  if (counted) stage.folded_partitions.Add(record.partition);
  if (!counted && record.error != 0) ++stage.folded_errors[record.error];
  if (record.profile) {
    FoldTask(*record.profile, leads, sums);
    if (counted) ++stage.folded_profiled;
    if (counted && record.profile->partial) ++stage.folded_partial;
    for (const CounterRecord& counter : record.profile->counters) {
      AddCounter(state.interner->StringAt(counter.name), counter.value, state.folded_counters);
    }
  }
  state.folded_tasks.Add(task.task_attempt_id);
  state.tasks.erase(task.task_attempt_id);
}

void FoldTasks(Foldable level, StoreState& state) {
  const LeadLines leads(*state.interner);
  std::map<StageKey, std::vector<AccountedTask>> by_stage = TasksByStage(state);
  for (auto& [key, tasks] : by_stage) {
    StageRecord& stage = state.Stage(key);
    AccountTasks(stage, tasks);
    for (const AccountedTask& task : tasks) {
      if (MayFold(level, stage, task)) Fold(task, leads, stage, state);
    }
  }
}

// Strings, stacks and names that nothing refers to any more are forgotten by copying the rest.
void Compact(StoreState& state) {
  auto fresh = std::make_unique<Interner>(&state.memory);
  InternerCopy copy(*state.interner, *fresh);
  auto move_site = [&](SiteKey& key) {
    key.stack = copy.Stack(key.stack);
    key.udf = copy.Udf(key.udf);
  };
  for (auto& [id, task] : state.tasks) {
    task.error = copy.String(task.error);
    if (!task.profile) continue;
    for (SiteRecord& site : task.profile->sites) move_site(site.key);
    for (CounterRecord& counter : task.profile->counters) counter.name = copy.String(counter.name);
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
    }
    decltype(stage.folded_errors) errors(&state.memory);
    for (const auto& [error, count] : stage.folded_errors) errors[copy.String(error)] += count;
    stage.folded_errors = std::move(errors);
  }
  SymbolTable symbols = state.symbols.CopyUsed(copy, &state.memory);
  state.symbols = std::move(symbols);
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
  KeepHeaviest(keep, folded.lines, [](const LineKey&, const SiteFigures&) {});
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
  auto fits = [&] {
    Compact(state);
    return state.memory.bytes() <= target;
  };
  if (fits()) return;
  for (Foldable level : {Foldable::kSettled, Foldable::kStageComplete, Foldable::kFinal, Foldable::kEnded}) {
    FoldTasks(level, state);
    if (fits()) return;
  }
  for (size_t keep = 256; keep >= 4; keep /= 4) {
    for (auto& [key, stage] : state.stages) {
      DropLightest(keep, stage.folded, state);
      DropLightest(keep, stage.folded_others, state);
    }
    if (fits()) return;
  }
  DropRunningProfiles(state);
  Compact(state);
}

}  // namespace memprof
