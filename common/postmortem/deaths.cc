#include "postmortem/deaths.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "postmortem/heap_errors.h"
#include "postmortem/incidents.h"
#include "postmortem/result_limit.h"
#include "postmortem/unwanted.h"

namespace memprof {
namespace {

std::string ExecutorKey(std::string_view id) { return fmt::format("{}/executor", id); }
std::string JobKey(int32_t job) { return fmt::format("driver/job/{}", job); }
std::string WorkerKey(std::string_view id, int32_t pid, int64_t task) { return fmt::format("{}/worker/{}/{}", id, pid, task); }

std::string HeapErrorKey(std::string_view id, int64_t task, int64_t time_ms) { return fmt::format("{}/heap/{}/{}", id, task, time_ms); }

// A worker whose task Spark ended itself (cancelled, a limit reached) is ended with it. Otherwise its task has failed, or the
// kernel's counter says who it was.
bool DiedUnwanted(const proto::WorkerDeath& death, const StoreState& state) {
  if (death.oom_kills() > 0) return true;
  auto task = state.tasks.find(death.task_attempt_id());
  return task != state.tasks.end() && task->second.ended && task->second.outcome == TaskOutcome::kFailed;
}

// A worker that crashed before its executor had seen it live: what it has noted itself came with its task's profile.
proto::WorkerDeath DeathByItsOwnWord(int64_t task_attempt_id, const TaskRecord& task, const IncidentRecord& end) {
  proto::WorkerDeath death;
  death.set_time_ms(end.time_ms);
  death.set_pid(end.pid);
  death.set_task_attempt_id(task_attempt_id);
  death.set_stage_id(task.stage_id);
  death.set_signal(end.signal);
  return death;
}

void SortByTime(std::vector<ReportPostMortem>& deaths) {
  std::sort(deaths.begin(), deaths.end(),
            [](const auto& a, const auto& b) { return std::tuple(a.time_ms, DeathKey(a)) < std::tuple(b.time_ms, DeathKey(b)); });
}

}  // namespace

std::string DeathKey(const ReportPostMortem& death) {
  if (death.job_id && !death.exit_code) return JobKey(*death.job_id);
  if (death.process == "jvm" && death.survived) return HeapErrorKey(death.executor_id, death.task_attempt_id.value_or(-1), death.time_ms);
  if (death.process != "python-worker") return ExecutorKey(death.executor_id);
  return WorkerKey(death.executor_id, death.pid.value_or(0), death.task_attempt_id.value_or(-1));
}

void ForEachWorkerDeath(const StoreState& state,
                        const std::function<void(const std::string& executor_id, const proto::WorkerDeath& death)>& visit) {
  for (const auto& [key, bytes] : state.worker_deaths) {
    proto::WorkerDeath death;
    if (death.ParseFromString(bytes) && DiedUnwanted(death, state)) visit(std::get<0>(key), death);
  }
  for (const auto& [id, task] : state.tasks) {
    if (!task.profile || !task.ended || task.outcome != TaskOutcome::kFailed) continue;
    std::string executor(state.interner->StringAt(task.executor));
    for (const IncidentRecord& incident : task.profile->incidents) {
      bool is_new = incident.signal != 0 && !state.worker_deaths.contains({executor, incident.pid, id});
      if (is_new) visit(executor, DeathByItsOwnWord(id, task, incident));
    }
  }
}

void ForEachRefusal(const StoreState& state, const std::function<void(const std::string& executor_id, int64_t task_attempt_id,
                                                                      const TaskRecord& task, const IncidentRecord& refusal)>& visit) {
  for (const auto& [id, task] : state.tasks) {
    const IncidentRecord* refusal = RefusalThatFailed(task, state.interner->StringAt(task.error));
    if (refusal == nullptr || FatalSignalOf(task, refusal->pid) != nullptr) continue;
    visit(std::string(state.interner->StringAt(task.executor)), id, task, *refusal);
  }
}

bool AnyDeath(const StoreState& state, const std::function<bool(const std::string& key)>& matches) {
  for (const auto& [id, record] : state.executors) {
    if (DiedUnwanted(record, state) && matches(ExecutorKey(std::string_view(id)))) return true;
  }
  bool any = false;
  ForEachWorkerDeath(state, [&](const std::string& id, const proto::WorkerDeath& worker) {
    any = any || matches(WorkerKey(id, worker.pid(), worker.task_attempt_id()));
  });
  ForEachRefusal(state, [&](const std::string& id, int64_t task_attempt_id, const TaskRecord&, const IncidentRecord& refusal) {
    any = any || matches(WorkerKey(id, refusal.pid, task_attempt_id));
  });
  ForEachJobBeyondLimit(state, [&](int32_t job) { any = any || matches(JobKey(job)); });
  for (const SurvivedHeapError& survived : SurvivedHeapErrors(state)) {
    any = any || matches(HeapErrorKey(survived.executor_id, survived.error.task_attempt_id(), survived.error.time_ms()));
  }
  return any;
}

size_t KeepNewestAndLargest(size_t most, std::vector<ReportPostMortem>& deaths) {
  SortByTime(deaths);
  if (deaths.size() <= most) return 0;
  const size_t others = deaths.size() - most;
  const auto newest = deaths.end() - static_cast<ptrdiff_t>(most / 2);
  std::vector<ReportPostMortem> kept(std::make_move_iterator(newest), std::make_move_iterator(deaths.end()));
  deaths.erase(newest, deaths.end());
  std::stable_sort(deaths.begin(), deaths.end(), [](const auto& a, const auto& b) { return a.used_bytes > b.used_bytes; });
  deaths.resize(most - kept.size());
  std::move(kept.begin(), kept.end(), std::back_inserter(deaths));
  SortByTime(deaths);
  return others;
}

}  // namespace memprof
