#include "postmortem/deaths.h"

#include <tuple>

#include "postmortem/heap_errors.h"
#include "postmortem/incidents.h"
#include "postmortem/result_limit.h"
#include "report/death_keys.h"
#include "rollup/unexpected_end.h"

namespace memprof {
namespace {

// A worker that crashed before its executor had seen it live: what it has noted itself came with its task's profile.
proto::WorkerDeath DeathFromIncident(int64_t task_attempt_id, const TaskFacts& task, const InternedIncident& end) {
  proto::WorkerDeath death;
  death.set_time_ms(end.time_ms);
  death.set_pid(end.pid);
  death.set_start_ticks(end.start_ticks);
  death.set_started_by_task(end.started_by_task);
  death.set_task_attempt_id(task_attempt_id);
  death.set_stage_id(task.stage_id);
  death.set_signal(end.signal);
  return death;
}

}  // namespace

void ForEachWorkerDeath(const StoreState& state,
                        const std::function<void(const std::string& executor_id, const proto::WorkerDeath& death)>& visit) {
  state.worker_deaths.ForEach([&](const WorkerDeathKey& key, const proto::WorkerDeath& death) {
    if (WasKilledOrFailed(death, state)) visit(std::get<0>(key), death);
  });
  for (const auto& [id, task] : state.tasks) {
    if (!task.profile || !task.ended || task.outcome != TaskOutcome::kFailed) continue;
    std::string executor(state.interner->StringAt(task.executor));
    for (const InternedIncident& incident : task.profile->incidents) {
      bool is_new = incident.signal != 0 && !state.worker_deaths.contains({executor, incident.pid, incident.start_ticks, id});
      if (is_new) visit(executor, DeathFromIncident(id, task, incident));
    }
  }
}

void ForEachRefusal(const StoreState& state, const std::function<void(const std::string& executor_id, int64_t task_attempt_id,
                                                                      const TaskFacts& task, const InternedIncident& refusal)>& visit) {
  for (const auto& [id, task] : state.tasks) {
    const InternedIncident* refusal = RefusalThatFailed(task, state.interner->StringAt(task.error));
    if (refusal == nullptr || FatalSignalOf(task, refusal->pid, refusal->start_ticks) != nullptr) continue;
    visit(std::string(state.interner->StringAt(task.executor)), id, task, *refusal);
  }
}

bool AnyDeath(const StoreState& state, const std::function<bool(const KnownDeath& death)>& matches) {
  for (const auto& [id, facts] : state.executors) {
    if (EndedUnexpectedly(id, facts, state) && matches({ExecutorDeathKey(id), facts.removed_ms})) return true;
  }
  bool any = false;
  ForEachWorkerDeath(state, [&](const std::string& id, const proto::WorkerDeath& worker) {
    any = any || matches({WorkerDeathKeyOf(id, worker.pid(), worker.start_ticks(), worker.task_attempt_id()), worker.time_ms()});
  });
  ForEachRefusal(state, [&](const std::string& id, int64_t task_attempt_id, const TaskFacts&, const InternedIncident& refusal) {
    any = any || matches({WorkerDeathKeyOf(id, refusal.pid, refusal.start_ticks, task_attempt_id), refusal.time_ms, true});
  });
  ForEachJobBeyondLimit(state, [&](int32_t job) { any = any || matches({JobKey("driver", job), 0, true}); });
  for (const SurvivedHeapError& survived : SurvivedHeapErrors(state)) {
    const int64_t time_ms = survived.error.time_ms();
    any = any || matches({HeapErrorKey(survived.executor_id, survived.error.task_attempt_id(), time_ms), time_ms, true});
  }
  return any;
}

}  // namespace memprof
