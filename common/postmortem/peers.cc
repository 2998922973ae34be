#include "postmortem/peers.h"

#include <algorithm>
#include <unordered_map>

#include "facts/figures.h"
#include "rollup/site_rollup.h"
#include "rollup/task_rows.h"

namespace memprof {
namespace {

uint64_t Measured(TaskFigure figure, const TaskFigures& figures) {
  const uint64_t value = figures[static_cast<size_t>(figure)];
  return value == kNoTaskFigure ? 0 : value;
}

uint64_t Less(uint64_t bytes, uint64_t part) { return bytes - std::min(bytes, part); }

uint64_t OwnHeap(const TaskFigures& figures) {
  return Less(Measured(TaskFigure::kHeapAllocated, figures), Measured(TaskFigure::kHeapOfBroadcasts, figures));
}

bool HasSucceeded(const TaskFacts& task) {
  return task.ended && task.outcome == TaskOutcome::kSucceeded && task.profile && task.profile->final;
}

template <typename Visit>
void ForEachStage(int32_t stage_id, const StoreState& state, Visit visit) {  // each attempt of it
  for (auto stage = state.stages.lower_bound({stage_id, INT32_MIN}); stage != state.stages.end() && stage->first.stage_id == stage_id;
       ++stage) {
    visit(stage->second);
  }
}

// The figures of each peer, those included whose detail was dropped, and whether a session of it is known not to the end.
template <typename Visit>
void ForEachPeer(const LastTask& dead, const Operators& operators, const StoreState& state, Visit visit) {
  for (const auto& [id, task] : state.tasks) {
    const bool is_peer = id != dead.task_attempt_id && task.stage_id == dead.task->stage_id && task.partition != dead.task->partition;
    if (is_peer && HasSucceeded(task)) visit(RowOf({id, &task, Account::kCounted}, operators).figures, task.profile->partial);
  }
  ForEachStage(dead.task->stage_id, state, [&](const StageFacts& stage) {
    for (const FoldedTaskRow& row : stage.folded_rows) {
      if (row.account == Account::kCounted && row.partition != dead.task->partition) visit(row.figures, false);
    }
  });
}

// By sites of Python's in the dead task, the most that another task kept there.
using KeptAt = std::unordered_map<SiteKey, uint64_t, SiteKeyHash>;

void Raise(const SiteFigures& figures, uint64_t& most) { most = std::max(most, KeptBytes(figures).value_or(0)); }

KeptAt KeptByPeers(const LastTask& dead, const StoreState& state) {
  KeptAt kept;
  if (!dead.task->profile) return kept;
  for (const InternedSite& site : dead.task->profile->sites) {
    if (site.key.origin == Origin::kPython) kept[site.key];
  }
  for (const auto& [id, task] : state.tasks) {
    if (id == dead.task_attempt_id || task.stage_id != dead.task->stage_id || !HasSucceeded(task)) continue;
    for (const InternedSite& site : task.profile->sites) {
      if (const auto found = kept.find(site.key); found != kept.end()) Raise(site.figures, found->second);
    }
  }
  ForEachStage(dead.task->stage_id, state, [&](const StageFacts& stage) {
    for (auto& [key, most] : kept) {
      if (const auto folded = stage.folded.sites.find(key); folded != stage.folded.sites.end()) Raise(folded->second, most);
    }
  });
  return kept;
}

}  // namespace

BesidePeers HeldBesidePeers(const LastTask& dead, const Operators& operators, const StoreState& state) {
  BesidePeers beside;
  ForEachPeer(dead, operators, state, [&](const TaskFigures& figures, bool partial) {
    if (partial) return;
    const uint64_t held = Measured(TaskFigure::kPythonLiveAtPeak, figures) + Measured(TaskFigure::kOffHeapLiveAtPeak, figures);
    beside.peer_bytes.push_back(Less(held, Measured(TaskFigure::kPythonKept, figures)));
  });
  const KeptAt kept = KeptByPeers(dead, state);
  for (size_t i = 0; !kept.empty() && i < dead.task->profile->sites.size(); ++i) {
    const auto found = kept.find(dead.task->profile->sites[i].key);
    const uint64_t live = LiveAt(*dead.task->profile, i);
    if (found != kept.end() && live != kUnmeasured) beside.once_bytes += std::min(live, found->second);
  }
  beside.task_bytes = Less(dead.live_bytes, beside.once_bytes);
  return beside;
}

BesidePeers AllocatedBesidePeers(const LastTask& dead, const Operators& operators, const StoreState& state) {
  BesidePeers beside;
  if (!dead.task->profile) return beside;
  ForEachPeer(dead, operators, state, [&](const TaskFigures& figures, bool /*partial*/) { beside.peer_bytes.push_back(OwnHeap(figures)); });
  beside.task_bytes = OwnHeap(dead, operators);
  beside.once_bytes = AllocatedBy(*dead.task->profile)[static_cast<size_t>(Origin::kJvmHeap)] - beside.task_bytes;
  return beside;
}

uint64_t OwnHeap(const LastTask& task, const Operators& operators) {
  return OwnHeap(RowOf({task.task_attempt_id, task.task, Account::kUnknown}, operators).figures);
}

}  // namespace memprof
