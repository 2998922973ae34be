#include "postmortem/post_mortems.h"

#include <fmt/format.h>

#include <algorithm>

#include "postmortem/advice_for.h"
#include "postmortem/deaths.h"
#include "postmortem/driver_heap.h"
#include "postmortem/failed_attempts.h"
#include "postmortem/headlines.h"
#include "postmortem/heap_errors.h"
#include "postmortem/incidents.h"
#include "postmortem/last_moment.h"
#include "postmortem/last_sites.h"
#include "postmortem/regions_then.h"
#include "postmortem/result_limit.h"
#include "postmortem/unwanted.h"
#include "postmortem/verdict.h"
#include "report/cut.h"
#include "rollup/executor_rows.h"
#include "rollup/heap_shortages.h"
#include "rollup/left_off_heap.h"
#include "rollup/retained.h"

namespace memprof {
namespace {

constexpr size_t kSitesShown = 20, kRetainedShown = 10;
constexpr int64_t kLeftIsNewsMs = 60'000;  // above 85 % of the limit it is said at least every twenty seconds

// What could have killed it. A limit that nobody enforces kills nobody: then the host's memory is what there is.
std::optional<uint64_t> KillingLimit(const ReportExecutor& executor) {
  return executor.limit_enforced && executor.limit_bytes ? executor.limit_bytes : executor.host_memory_bytes;
}

void PutMoment(const ReportExecutor& executor, const proto::Moment& moment, ReportPostMortem& death) {
  death.used_bytes = moment.used_bytes();
  death.processes = MomentRow(moment).processes;
  death.regions = RegionsThen(executor, moment);
}

// Where no container bounds it, what all on the host used decides.
void PutHost(const ReportExecutor& executor, const proto::Moment& moment, DeathEvidence& evidence) {
  evidence.limit_is_hosts = !executor.limit_enforced || !executor.limit_bytes || executor.limit_source == "host";
  if (moment.has_host_available_bytes()) evidence.host_available_bytes = moment.host_available_bytes();
}

class Writer {
 public:
  Writer(const StoreState& state, bool& awaits_names)
      : state_(state), awaits_names_(awaits_names), stacks_(*state.interner, state.symbols) {}

  ReportPostMortem OfExecutor(const ReportExecutor& executor, const ExecutorRecord& record) const {
    proto::ExecutorSnapshot snapshot = SnapshotOf(record);
    ReportPostMortem death;
    DeathEvidence evidence;
    evidence.loss = ParseLossReason(record.removed_reason);
    death.executor_id = executor.id;
    death.process = evidence.loss.kind == LossKind::kContainerMemory ? "container" : "jvm";
    if (snapshot.jvm_pid() != 0) death.pid = snapshot.jvm_pid();
    death.exit_code = evidence.loss.exit_code;
    if (executor.id != "driver") death.reason = record.removed_reason;  // Spark's words; of its own end a driver has none
    death.time_ms = record.removed_ms;
    death.limit_bytes = evidence.limit_bytes = KillingLimit(executor);
    std::vector<LastTask> tasks = RunningOn(executor.id);
    const std::vector<proto::WorkerDeath> dead_before = WorkersThatDiedIn(executor.id, state_);
    if (const proto::Moment* last = LastMoment(snapshot)) {
      PutMoment(executor, Without(dead_before, *last), death);
      PutHost(executor, *last, evidence);
      evidence.used_before_bytes = last->used_bytes();
    }
    evidence.used_bytes = death.used_bytes;
    evidence.heap_used_bytes = executor.heap_used_peak_bytes;
    evidence.heap_max_bytes = executor.heap_max_bytes;
    evidence.exits_on_out_of_memory = snapshot.exits_on_out_of_memory();
    const std::optional<LastTask> failed = LastFailedOn(executor.id, record.removed_ms);
    if (failed) evidence.last_word = ParseJvmShortage(state_.interner->StringAt(failed->task->error));
    const std::optional<proto::HeapShortage> error = HeapErrorThatEnded(executor.id, record, state_);
    if (error) evidence.heap_error = error->error().empty() ? "a full heap" : error->error();
    CountKills(executor, record, snapshot, dead_before, evidence);
    PutAge(snapshot, tasks, GoneMs(record), death);
    evidence.sample_age_ms = death.last_sample_age_ms;
    Verdict verdict = Judge(evidence);
    death.out_of_memory = verdict.out_of_memory;
    death.unknown = verdict.unknown;
    death.how = verdict.how;
    if (verdict.of_heap && error) PutHeapError(*error, tasks, death);
    if (verdict.of_jvm && failed) PutFirst(*failed, tasks);
    PutSites(tasks, death);
    if (const std::optional<LastTask> attempt = HeaviestFailedAttempt(state_, tasks, failed, GoneMs(record))) PutAttempt(*attempt, death);
    PutLeft(record, death);
    std::optional<ReportAction> action;
    if (verdict.of_heap && error) action = ActionOf(executor, *error);
    death.headline = ExecutorHeadline(death, verdict, executor, evidence.last_word, error, action);
    if ((verdict.of_heap || verdict.of_unknown_pool) && !death.retained) PutRetained(executor, death);
    // Which setting helps depends on the pool that ran short.
    if (death.out_of_memory && !verdict.of_unknown_pool)
      death.advice = AdviceFor(death, executor, snapshot, tasks, verdict, evidence.last_word, state_);
    if (action) PutAction(*action, SettingsOf(*action), death);
    return death;
  }

  ReportPostMortem OfWorker(const ReportExecutor& executor, const ExecutorRecord& record, const proto::WorkerDeath& worker) const {
    ReportPostMortem death;
    death.executor_id = executor.id;
    death.process = "python-worker";
    death.pid = worker.pid();
    death.task_attempt_id = worker.task_attempt_id();
    death.stage_id = worker.stage_id();
    death.time_ms = worker.time_ms();
    if (worker.has_limit_bytes()) {
      death.limit_bytes = worker.limit_bytes();
    } else {
      death.limit_bytes = KillingLimit(executor);
    }
    if (worker.has_before()) {
      PutMoment(executor, worker.before(), death);
      death.last_sample_age_ms = std::max<int64_t>(0, worker.time_ms() - worker.before().time_ms());
    }
    WorkerEvidence evidence;
    evidence.signal = worker.signal();
    evidence.death.limit_bytes = death.limit_bytes;
    evidence.death.used_bytes = death.used_bytes;
    evidence.death.sample_age_ms = death.last_sample_age_ms;
    if (worker.has_oom_kills()) evidence.death.kernel_kills = worker.oom_kills();
    if (!worker.has_limit_bytes()) PutHost(executor, worker.before(), evidence.death);
    evidence.death.counted_by = "its executor";
    std::vector<LastTask> tasks;
    auto task = state_.tasks.find(worker.task_attempt_id());
    if (task != state_.tasks.end()) {
      death.reason = state_.interner->StringAt(task->second.error);
      if (task->second.profile) tasks.push_back({task->first, &task->second, LiveBytesOf(*task->second.profile)});
      if (const IncidentRecord* end = FatalSignalOf(task->second, worker.pid())) {
        evidence.signal = end->signal;
        PutStack(end->stack, death);
        const IncidentRecord* refusal = RefusalOf(task->second, worker.pid());
        evidence.was_refused = refusal != nullptr && LedTo(*refusal, *end);
        if (evidence.was_refused) death.address_space = AddressSpaceOf(*refusal);
      }
    }
    if (evidence.signal != 0) death.exit_code = kSignalBase + evidence.signal;
    Verdict verdict = JudgeWorker(evidence);
    death.out_of_memory = verdict.out_of_memory;
    death.unknown = verdict.unknown;
    death.how = verdict.how;
    PutSites(tasks, death);
    death.headline = WorkerHeadline(death, evidence.signal);
    if (death.out_of_memory) death.advice = AdviceFor(death, executor, SnapshotOf(record), tasks, {}, std::nullopt, state_);
    return death;
  }

  // Of a task, or another thread, that met an OutOfMemoryError of the heap which its executor survived.
  ReportPostMortem OfHeapError(const ReportExecutor& executor, const ExecutorRecord& record, const SurvivedHeapError& survived) const {
    const proto::HeapShortage& error = survived.error;
    const proto::ExecutorSnapshot snapshot = SnapshotOf(record);
    const bool failed = survived.task != nullptr && survived.task->outcome == TaskOutcome::kFailed;
    ReportPostMortem death;
    death.executor_id = executor.id;
    death.process = "jvm";
    death.pid = error.jvm_pid();
    death.time_ms = error.time_ms();
    death.out_of_memory = true;
    death.survived = true;
    death.limit_bytes = KillingLimit(executor);
    if (failed) death.reason = state_.interner->StringAt(survived.task->error);
    if (const proto::Moment* last = LastMoment(snapshot)) PutMoment(executor, *last, death);
    death.last_sample_age_ms = 0;
    std::vector<LastTask> tasks;
    PutHeapError(error, tasks, death);
    death.how = HeapErrorEvidence(survived);
    const std::optional<ReportAction> action = ActionOf(executor, error);
    death.headline = SurvivedHeadline(death, survived, failed, action);
    PutSites(tasks, death);
    Verdict verdict;
    verdict.of_heap = true;
    death.advice = AdviceFor(death, executor, snapshot, tasks, verdict, std::nullopt, state_);
    if (action) PutAction(*action, SettingsOf(*action), death);
    return death;
  }

  // Of a task that failed because memory was refused to its worker, which lived on to say so.
  ReportPostMortem OfRefusal(const ReportExecutor& executor, const ExecutorRecord& record, int64_t task_attempt_id, const TaskRecord& task,
                             const IncidentRecord& refusal) const {
    ReportPostMortem death;
    death.executor_id = executor.id;
    death.process = "python-worker";
    death.pid = refusal.pid;
    death.task_attempt_id = task_attempt_id;
    if (task.stage_id >= 0) death.stage_id = task.stage_id;
    death.time_ms = refusal.time_ms;
    death.reason = state_.interner->StringAt(task.error);
    death.out_of_memory = true;
    death.survived = true;
    death.address_space = AddressSpaceOf(refusal);
    death.limit_bytes = death.address_space->limit_bytes;
    death.used_bytes = death.address_space->virtual_bytes;
    death.last_sample_age_ms = 0;
    PutStack(refusal.stack, death);
    death.how = RefusalEvidence(*death.address_space);
    death.headline = RefusalHeadline(death);
    std::vector<LastTask> tasks{{task_attempt_id, &task, LiveBytesOf(*task.profile)}};
    PutSites(tasks, death);
    death.advice = AdviceFor(death, executor, SnapshotOf(record), tasks, {}, std::nullopt, state_);
    return death;
  }

 private:
  // What the driver's heap was full of for the user's program. In local mode tasks fill the same heap, for themselves.
  std::optional<ReportAction> ActionOf(const ReportExecutor& executor, const proto::HeapShortage& error) const {
    if (executor.id != "driver") return std::nullopt;
    std::optional<ReportAction> action = state_.actions.At(error.time_ms());
    const uint64_t brought = action ? std::max(action->result_bytes, action->broadcast_bytes) : 0;
    const uint64_t heap = executor.heap_max_bytes.value_or(0);
    return error.task_attempt_id() >= 0 && brought < heap / 10 ? std::nullopt : action;
  }

  SparkSettings SettingsOf(const ReportAction& action) const {
    return state_.SettingsOf(action.stages.empty() ? std::nullopt : std::optional(action.stages.back()));
  }

  // The task whose thread asked comes first: it may have failed of the error before the executor was gone.
  void PutHeapError(const proto::HeapShortage& error, std::vector<LastTask>& tasks, ReportPostMortem& death) const {
    death.heap = ShortageRow(error);
    death.stack = ShortageStack(error);
    if (error.has_retained()) death.retained = RetainedRow(error.retained(), kRetainedShown);
    if (error.task_attempt_id() < 0) return;
    death.task_attempt_id = error.task_attempt_id();
    death.stage_id = error.stage_id();
    const auto task = state_.tasks.find(error.task_attempt_id());
    if (task != state_.tasks.end()) PutFirst({task->first, &task->second, LiveOf(task->second)}, tasks);
  }

  void PutStack(StackId stack, ReportPostMortem& death) const {
    StackId shown = stacks_.ShownStack({stack, 1, Origin::kPython});  // as of a function: without PySpark's frames around it
    if (shown == 0) return;
    awaits_names_ = awaits_names_ || stacks_.AwaitsName(shown);
    death.stack = stacks_.Frames(shown);
  }

  static uint64_t LiveOf(const TaskRecord& task) { return task.profile ? LiveBytesOf(*task.profile) : 0; }

  // It may have failed before the executor was gone, and then isn't among those that ran to the end.
  static void PutFirst(const LastTask& task, std::vector<LastTask>& tasks) {
    const auto found =
        std::find_if(tasks.begin(), tasks.end(), [&](const LastTask& each) { return each.task_attempt_id == task.task_attempt_id; });
    if (found != tasks.end()) {
      std::rotate(tasks.begin(), found, found + 1);
    } else {
      tasks.insert(tasks.begin(), task);
    }
  }

  // Attempts that the executor took with it: no end was reported, or that they were lost, and no profile was final.
  std::vector<LastTask> RunningOn(std::string_view executor) const {
    std::vector<LastTask> tasks;
    for (const auto& [id, task] : state_.tasks) {
      if (state_.interner->StringAt(task.executor) != executor || (task.profile && task.profile->final)) continue;
      if (task.ended && task.outcome != TaskOutcome::kLost) continue;
      tasks.push_back({id, &task, LiveOf(task)});
    }
    std::sort(tasks.begin(), tasks.end(), [](const LastTask& a, const LastTask& b) {
      return std::pair(~a.live_bytes, a.task_attempt_id) < std::pair(~b.live_bytes, b.task_attempt_id);
    });
    return tasks;
  }

  // The task that failed last on this executor, right before it was gone: its error may be the JVM's last word.
  std::optional<LastTask> LastFailedOn(std::string_view executor, int64_t removed_ms) const {
    std::optional<LastTask> last;
    for (const auto& [id, task] : state_.tasks) {
      if (!task.ended || task.outcome != TaskOutcome::kFailed || state_.interner->StringAt(task.executor) != executor) continue;
      if (task.end_ms + kEndsWithinMs < removed_ms) continue;
      if (!last || std::pair(task.end_ms, id) > std::pair(last->task->end_ms, last->task_attempt_id))
        last = LastTask{id, &task, LiveOf(task)};
    }
    return last;
  }

  // A JVM that is dead can't look at the counter; the next one in the same cgroup does when it starts.
  void CountKills(const ReportExecutor& executor, const ExecutorRecord& record, const proto::ExecutorSnapshot& snapshot,
                  const std::vector<proto::WorkerDeath>& dead_before, DeathEvidence& evidence) const {
    if (!snapshot.has_oom_kills() || snapshot.cgroup().empty() || snapshot.cgroup_shared()) return;
    std::tuple<uint64_t, std::string> first{UINT64_MAX, ""};
    for (const auto& [id, other] : state_.executors) {
      if (std::string_view(id) == executor.id || !other.added || other.added_event < record.removed_event) continue;
      proto::ExecutorSnapshot seen = SnapshotOf(other);
      if (seen.cgroup() != snapshot.cgroup() || seen.host() != snapshot.host() || !seen.has_oom_kills_at_start()) continue;
      if (seen.oom_kills_at_start() < snapshot.oom_kills()) continue;  // another cgroup of the same name
      first = std::min(first, {seen.oom_kills_at_start(), std::string(id)});
    }
    if (std::get<uint64_t>(first) == UINT64_MAX) return;
    // A kill of a worker is known from that worker's death, which may be younger than the last snapshot.
    uint64_t known = snapshot.oom_kills_at_start();
    for (const proto::WorkerDeath& worker : dead_before) known += worker.oom_kills();
    evidence.kernel_kills = std::get<uint64_t>(first) - std::min(std::get<uint64_t>(first), std::max(known, snapshot.oom_kills()));
    evidence.counted_by = fmt::format("executor {}, the next one in it,", std::get<std::string>(first));
  }

  static void PutAge(const proto::ExecutorSnapshot& snapshot, const std::vector<LastTask>& tasks, int64_t gone_ms,
                     ReportPostMortem& death) {
    int64_t latest = snapshot.last().time_ms();  // of what is told of its use
    if (!snapshot.has_last()) {
      latest = snapshot.taken_ms();
      for (const LastTask& last : tasks) {
        if (last.task->profile) latest = std::max(latest, last.task->profile->taken_ms);
      }
    }
    if (latest > 0) death.last_sample_age_ms = std::max<int64_t>(0, gone_ms - latest);  // two hosts' clocks may differ
  }

  void PutSites(const std::vector<LastTask>& tasks, ReportPostMortem& death) const {
    if (!tasks.empty() && !death.task_attempt_id) {
      death.task_attempt_id = tasks.front().task_attempt_id;
      if (tasks.front().task->stage_id >= 0) death.stage_id = tasks.front().task->stage_id;
    }
    death.sites = SitesAtLastSample(tasks, *state_.interner, stacks_, kSitesShown, awaits_names_);
  }

  void PutAttempt(const LastTask& attempt, ReportPostMortem& death) const {
    death.sites = SitesAtLastSample({attempt}, *state_.interner, stacks_, kSitesShown, awaits_names_);
    if (death.sites.empty()) return;
    death.sites_of_attempt = attempt.task_attempt_id;
    if (!death.stage_id) death.stage_id = attempt.task->stage_id;
  }

  // What ended tasks had left off-heap, among the sites of those that ran.
  static void PutLeft(const ExecutorRecord& record, ReportPostMortem& death) {
    const int64_t last_sample_ms = death.time_ms - death.last_sample_age_ms.value_or(0);
    std::vector<ReportSite> left = LeftOffHeapSites(record, last_sample_ms - kLeftIsNewsMs);
    if (left.empty()) return;
    death.sites.insert(death.sites.end(), std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
    std::stable_sort(death.sites.begin(), death.sites.end(), [](const ReportSite& a, const ReportSite& b) {
      return a.live_at_peak_bytes.value_or(0) > b.live_at_peak_bytes.value_or(0);
    });
  }

  // What a full heap was full of, if its collector had time to mark it.
  static void PutRetained(const ReportExecutor& executor, ReportPostMortem& death) {
    death.retained = executor.retained;
    if (!death.heap) death.heap = executor.nearly_full_heap;
    if (death.retained) KeepLargest(kRetainedShown, *death.retained);
  }

  const StoreState& state_;
  bool& awaits_names_;
  NamedStacks stacks_;
};

}  // namespace

PostMortemRows PostMortems(const StoreState& state, const std::vector<ReportExecutor>& executors, bool& awaits_names) {
  PostMortemRows result{ResultLimitDeaths(state)};
  std::vector<ReportPostMortem>& deaths = result.shown;
  const bool any =
      !deaths.empty() || !state.heap_shortages.empty() || !state.worker_deaths.empty() ||
      std::any_of(state.executors.begin(), state.executors.end(), [&](const auto& entry) { return DiedUnwanted(entry.second, state); }) ||
      std::any_of(state.tasks.begin(), state.tasks.end(),
                  [](const auto& entry) { return entry.second.profile && !entry.second.profile->incidents.empty(); });
  if (!any) return result;
  Writer writer(state, awaits_names);
  RowsOfExecutors rows(state, executors);
  // Of an executor that is known.
  const auto add = [&](std::string_view id, auto write) {
    const ReportExecutor* row = rows.Of(id);
    const auto record = state.executors.find(id);
    if (row != nullptr && record != state.executors.end()) deaths.push_back(write(*row, record->second));
  };
  for (const auto& [id, died] : state.executors) {
    if (!DiedUnwanted(died, state)) continue;
    add(id, [&](const ReportExecutor& row, const ExecutorRecord& record) { return writer.OfExecutor(row, record); });
  }
  ForEachWorkerDeath(state, [&](const std::string& id, const proto::WorkerDeath& worker) {
    add(id, [&](const ReportExecutor& row, const ExecutorRecord& record) { return writer.OfWorker(row, record, worker); });
  });
  ForEachRefusal(state, [&](const std::string& id, int64_t task_attempt_id, const TaskRecord& task, const IncidentRecord& refusal) {
    add(id, [&](const ReportExecutor& row, const ExecutorRecord& record) {
      return writer.OfRefusal(row, record, task_attempt_id, task, refusal);
    });
  });
  for (const SurvivedHeapError& survived : SurvivedHeapErrors(state)) {
    add(survived.executor_id,
        [&](const ReportExecutor& row, const ExecutorRecord& record) { return writer.OfHeapError(row, record, survived); });
  }
  result.others = KeepNewestAndLargest(kMaxPostMortems, deaths);
  return result;
}

}  // namespace memprof
