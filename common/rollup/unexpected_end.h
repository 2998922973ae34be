// Executors that were lost, not removed on purpose, and Python workers that Spark did not end itself. Pure functions.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "facts/loss_reason.h"
#include "rollup/state.h"

namespace memprof {

// When it was first known to be gone: Spark ends an executor's tasks before it reports the removal.
inline int64_t GoneMs(const ExecutorFacts& facts) { return std::min(facts.removed_ms, facts.task_lost_ms.value_or(facts.removed_ms)); }

// What its last sample, of the minute before its end, was of a limit that somebody enforces; 0: nobody limits it. Absent: there is none.
std::optional<double> LastShareOfLimit(const ExecutorFacts& facts, const StoreState& state);
inline constexpr double kNearlyFull = 0.85;

// Whether the kernel killed something on its host around its end, other than its own workers and those of who
// counted, which have post-mortems: by what another executor there, or the driver, counted later.
bool KernelKilledBeside(std::string_view id, const ExecutorFacts& facts, const StoreState& state);

// Why Spark removed it. On Kubernetes Spark says of an executor that it no longer hears that it killed it: it asks for that first, and that
// is done before it is told of the silence (HeartbeatReceiver.expireDeadHosts). Those let go on purpose have no tasks, or were heard.
// Of one that is being decommissioned Spark says only that, whatever ended it. It lets tasks end first, so one that took tasks with it,
// near its limit or where the kernel killed something, may have been killed for its memory.
LossReason LossOf(std::string_view id, const ExecutorFacts& facts, const StoreState& state);

// Removed while the application ran, and not on purpose. If it was the last executor, the application may end between the loss of its
// tasks and the removal.
inline bool EndedUnexpectedly(std::string_view id, const ExecutorFacts& facts, const StoreState& state) {
  if (!facts.removed) return false;
  // While the JVM ends, other threads continue, and one may stop the SparkContext because of an error of its own.
  if (facts.reported_by_jvm) return true;
  const uint64_t gone_event = facts.task_lost_event != 0 ? std::min(facts.task_lost_event, facts.removed_event) : facts.removed_event;
  if (state.CameAfterEnd(GoneMs(facts), gone_event)) return false;
  return LossOf(id, facts, state).kind != LossKind::kOnPurpose;
}

// Spark ends a worker together with its task (cancelled, a limit reached); that is no death. It is one if the task failed, or if the
// kernel's counter shows a kill.
inline bool WasKilledOrFailed(const proto::WorkerDeath& death, const StoreState& state) {
  if (death.oom_kills() > 0 || state.folded_failures.Contains(death.task_attempt_id())) return true;
  const auto task = state.tasks.find(death.task_attempt_id());
  return task != state.tasks.end() && task->second.ended && task->second.outcome == TaskOutcome::kFailed;
}

}  // namespace memprof
