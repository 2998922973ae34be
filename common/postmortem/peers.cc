#include "postmortem/peers.h"

#include <algorithm>

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
void ForEachAttempt(int32_t stage_id, const StoreState& state, Visit visit) {
  for (auto stage = state.stages.lower_bound({stage_id, INT32_MIN}); stage != state.stages.end() && stage->first.stage_id == stage_id;
       ++stage) {
    visit(stage->second);
  }
}

}  // namespace

void Peers::Stage::Add(int64_t id, int32_t partition, const TaskFigures& figures, bool partial) {
  const uint64_t held = Measured(TaskFigure::kPythonLiveAtPeak, figures) + Measured(TaskFigure::kOffHeapLiveAtPeak, figures);
  peers.push_back({id, partition, partial ? kUnmeasured : Less(held, Measured(TaskFigure::kPythonKept, figures)), OwnHeap(figures)});
}

const Peers::Stage& Peers::Of(int32_t stage_id, const Operators& operators) {
  const auto [found, is_new] = stages_.try_emplace(stage_id);
  Stage& stage = found->second;
  if (!is_new) return stage;
  for (const auto& [id, task] : state_.tasks) {
    if (task.stage_id != stage_id || !HasSucceeded(task)) continue;
    stage.Add(id, task.partition, RowOf({id, &task, Account::kCounted}, operators).figures, task.profile->partial);
  }
  ForEachAttempt(stage_id, state_, [&](const StageFacts& attempt) {  // those whose detail was dropped
    for (const FoldedTaskRow& row : attempt.folded_rows) {
      if (row.account == Account::kCounted) stage.Add(-1, row.partition, row.figures, false);
    }
  });
  return stage;
}

const Peers::Kept& Peers::KeptIn(int32_t stage_id) {
  const auto [found, is_new] = kept_.try_emplace(stage_id);
  Kept& kept = found->second;
  if (!is_new) return kept;
  const auto add = [&kept](const SiteKey& site, const SiteFigures& figures) {
    const uint64_t bytes = site.origin == Origin::kPython ? KeptBytes(figures).value_or(0) : 0;
    if (bytes == 0) return;
    uint64_t& most = kept[site];
    most = std::max(most, bytes);
  };
  for (const auto& [id, task] : state_.tasks) {
    if (task.stage_id != stage_id || !HasSucceeded(task)) continue;
    for (const InternedSite& site : task.profile->sites) add(site.key, site.figures);
  }
  ForEachAttempt(stage_id, state_, [&](const StageFacts& attempt) {
    for (const auto& [site, figures] : attempt.folded.sites) add(site, figures);
  });
  return kept;
}

BesidePeers Peers::Held(const LastTask& dead, const Operators& operators) {
  const Stage& stage = Of(dead.task->stage_id, operators);
  BesidePeers beside;
  for (const Peer& peer : stage.peers) {
    if (peer.IsBeside(dead) && peer.held_bytes != kUnmeasured) beside.peer_bytes.push_back(peer.held_bytes);
  }
  // One that has succeeded after all is among those that kept it.
  const Kept none, &kept = HasSucceeded(*dead.task) ? none : KeptIn(dead.task->stage_id);
  for (size_t i = 0; !kept.empty() && dead.task->profile && i < dead.task->profile->sites.size(); ++i) {
    const auto found = kept.find(dead.task->profile->sites[i].key);
    const uint64_t live = LiveAt(*dead.task->profile, i);
    if (found != kept.end() && live != kUnmeasured) beside.once_bytes += std::min(live, found->second);
  }
  beside.task_bytes = Less(dead.live_bytes, beside.once_bytes);
  return beside;
}

BesidePeers Peers::Allocated(const LastTask& dead, const Operators& operators) {
  BesidePeers beside;
  if (!dead.task->profile) return beside;
  for (const Peer& peer : Of(dead.task->stage_id, operators).peers) {
    if (peer.IsBeside(dead)) beside.peer_bytes.push_back(peer.heap_bytes);
  }
  beside.task_bytes = OwnHeap(dead, operators);
  beside.once_bytes = AllocatedBy(*dead.task->profile)[static_cast<size_t>(Origin::kJvmHeap)] - beside.task_bytes;
  return beside;
}

uint64_t OwnHeap(const LastTask& task, const Operators& operators) {
  return OwnHeap(RowOf({task.task_attempt_id, task.task, Account::kUnknown}, operators).figures);
}

}  // namespace memprof
