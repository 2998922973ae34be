#include "postmortem/failed_attempts.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace memprof {
namespace {

bool HasSites(const TaskFacts& task) { return task.profile && !task.profile->sites.empty(); }

StageKey StageOf(const TaskFacts& task) { return {task.stage_id, task.stage_attempt}; }

uint64_t AllocatedBy(const TaskFacts& task) {
  uint64_t sum = 0;
  for (const InternedSite& site : task.profile->sites) sum += site.figures.allocated_bytes;
  return sum;
}

}  // namespace

std::optional<LastTask> HeaviestFailedAttempt(const StoreState& state, const std::vector<LastTask>& ran,
                                              const std::optional<LastTask>& failed, int64_t gone_ms) {
  if (std::any_of(ran.begin(), ran.end(), [](const LastTask& each) { return HasSites(*each.task); })) return std::nullopt;
  std::set<StageKey> stages;
  for (const LastTask& each : ran) stages.insert(StageOf(*each.task));
  if (stages.empty() && failed) stages.insert(StageOf(*failed->task));
  std::optional<LastTask> heaviest;
  std::tuple<uint64_t, int64_t> most;  // of two equal ones the later
  for (const auto& [id, task] : state.tasks) {
    if (!task.ended || task.outcome != TaskOutcome::kFailed || task.end_ms > gone_ms || !HasSites(task) || !stages.contains(StageOf(task)))
      continue;
    const std::tuple order(AllocatedBy(task), id);
    if (heaviest && order <= most) continue;
    most = order;
    heaviest = LastTask{id, &task, LiveBytesOf(*task.profile)};
  }
  return heaviest;
}

}  // namespace memprof
