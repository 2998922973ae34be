#include "postmortem/post_mortems.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "advice/advice.h"
#include "postmortem/incidents.h"
#include "postmortem/last_sites.h"
#include "postmortem/verdict.h"
#include "proto/memprof.pb.h"
#include "report/units.h"
#include "store/executor_rows.h"

namespace memprof {
namespace {

constexpr size_t kSitesShown = 20;
constexpr int64_t kLastWordsMs = 30'000;  // Spark's handler ends a JVM at once; that it is gone may be noticed later

proto::ExecutorSnapshot SnapshotOf(const ExecutorRecord& record) {
  proto::ExecutorSnapshot snapshot;
  if (!snapshot.ParseFromArray(record.snapshot.data(), static_cast<int>(record.snapshot.size()))) snapshot.Clear();
  return snapshot;
}

bool DiedUnwanted(const ExecutorRecord& record, const StoreState& state) {
  if (!record.removed) return false;
  if (state.application.ended_ms && record.removed_ms >= *state.application.ended_ms) return false;
  return ParseLossReason(record.removed_reason).kind != LossKind::kWanted;
}

// A worker whose task Spark ended itself (cancelled, a limit reached) is ended with it. Otherwise its task has failed, or the
// kernel's counter says who it was.
bool DiedUnwanted(const proto::WorkerDeath& death, const StoreState& state) {
  if (death.oom_kills() > 0) return true;
  auto task = state.tasks.find(death.task_attempt_id());
  return task != state.tasks.end() && task->second.ended && task->second.outcome == TaskOutcome::kFailed;
}

// What could have killed it. A limit that nobody enforces kills nobody: then the host's memory is what there is.
std::optional<uint64_t> KillingLimit(const ReportExecutor& executor) {
  return executor.limit_enforced && executor.limit_bytes ? executor.limit_bytes : executor.host_memory_bytes;
}

std::string UsePhrase(std::optional<uint64_t> used, std::optional<uint64_t> limit) {
  if (!used) return "its use of memory is not known";
  if (!limit) return FormatBytes(*used) + " was in use";
  return fmt::format("{} of the limit was in use ({} of {})", FormatPercent(static_cast<double>(*used), static_cast<double>(*limit)),
                     FormatBytes(*used), FormatBytes(*limit));
}

std::string ShortagePhrase(const JvmShortage& shortage) {
  if (shortage.pool != JvmPool::kDirectBuffers) return "the JVM's classes had filled their bound (Metaspace)";
  if (!shortage.asked_bytes || !shortage.held_bytes || !shortage.limit_bytes) return "direct buffers had filled their bound";
  return fmt::format("direct buffers held {} of {} when {} more were asked for", FormatBytes(*shortage.held_bytes),
                     FormatBytes(*shortage.limit_bytes), FormatBytes(*shortage.asked_bytes));
}

std::string ExecutorHeadline(const ReportPostMortem& death, const Verdict& verdict, const ReportExecutor& executor,
                             const std::optional<JvmShortage>& shortage) {
  std::string who = death.executor_id == "driver" ? "The driver" : "Executor " + death.executor_id;
  std::string end = death.exit_code ? ", exit code " + ExitCodePhrase(*death.exit_code) : "";
  if (verdict.of_heap) {
    return fmt::format("{} ran out of heap: {} of {} was in use at its peak{}", who, FormatBytesOr(executor.heap_used_peak_bytes),
                       FormatBytesOr(executor.heap_max_bytes), end);
  }
  if (verdict.of_jvm) return fmt::format("{} died of an OutOfMemoryError: {}{}", who, ShortagePhrase(*shortage), end);
  if (verdict.out_of_memory)
    return fmt::format("{} was killed for its memory: {}{}", who, UsePhrase(death.used_bytes, death.limit_bytes), end);
  if (!death.used_bytes && !death.exit_code) return fmt::format("{} was lost; why is not known: no sample of it arrived", who);
  return fmt::format("{} died, not of memory: {}{}", who, UsePhrase(death.used_bytes, death.limit_bytes), end);
}

std::string WorkerPhrase(const ReportPostMortem& death) {
  return fmt::format("Python worker {} of executor {} (task {}, stage {})", death.pid.value_or(0), death.executor_id,
                     death.task_attempt_id.value_or(-1), death.stage_id.value_or(-1));
}

std::string WorkerHeadline(const ReportPostMortem& death, int signal) {
  std::string who = WorkerPhrase(death), use = UsePhrase(death.used_bytes, death.limit_bytes), place = PlacePhrase(death.stack);
  if (!place.empty()) place = " in " + place;
  if (death.out_of_memory && signal != 0) {
    return fmt::format("{} was refused memory and died of {}{}: {}", who, SignalName(signal), place, use);
  }
  if (death.out_of_memory) return fmt::format("{} was killed for its memory: {}", who, use);
  if (signal != 0) return fmt::format("{} crashed, not of memory: {}{}; {}", who, SignalName(signal), place, use);
  return fmt::format("{} died, not of memory: {}", who, use);
}

std::string RefusalHeadline(const ReportPostMortem& death) {
  const ReportAddressSpace& space = *death.address_space;
  std::string place = PlacePhrase(death.stack);
  std::string asked = fmt::format("{} was refused memory: it asked for {}{}", WorkerPhrase(death), FormatBytes(space.refused_bytes),
                                  place.empty() ? "" : " in " + place);
  if (!space.limit_bytes)
    return fmt::format("{}; nothing bounds its address space, and {} were resident", asked, FormatBytes(space.resident_bytes));
  return fmt::format("{}, with {} of its {} of address space reserved; {} were resident", asked, FormatBytes(space.virtual_bytes),
                     FormatBytes(*space.limit_bytes), FormatBytes(space.resident_bytes));
}

std::string RefusalEvidence(const ReportAddressSpace& space) {
  if (!space.limit_bytes) return "malloc or mmap refused it in its task, which failed of a MemoryError";
  std::string limit = "malloc or mmap refused it under RLIMIT_AS, which bounds what is reserved, and its task failed of a MemoryError; ";
  return limit + (ByReservationsOnly(space) ? "what was resident and what it asked for fit into the limit: reservations alone filled it"
                                            : "what was resident and what it asked for don't fit into the limit");
}

void PutMoment(const proto::Moment& moment, ReportPostMortem& death) {
  death.used_bytes = moment.used_bytes();
  death.processes = MomentRow(moment).processes;
}

class Writer {
 public:
  Writer(const StoreState& state, const std::vector<ReportExecutor>& executors, bool& awaits_names)
      : state_(state), executors_(executors), awaits_names_(awaits_names), stacks_(*state.interner, state.symbols) {}

  ReportPostMortem OfExecutor(const ReportExecutor& executor, const ExecutorRecord& record) const {
    proto::ExecutorSnapshot snapshot = SnapshotOf(record);
    ReportPostMortem death;
    DeathEvidence evidence;
    evidence.loss = ParseLossReason(record.removed_reason);
    death.executor_id = executor.id;
    death.process = evidence.loss.kind == LossKind::kContainerMemory ? "container" : "jvm";
    if (snapshot.jvm_pid() != 0) death.pid = snapshot.jvm_pid();
    death.exit_code = evidence.loss.exit_code;
    death.reason = record.removed_reason;
    death.time_ms = record.removed_ms;
    death.limit_bytes = evidence.limit_bytes = KillingLimit(executor);
    std::vector<LastTask> tasks = RunningOn(executor.id);
    if (const proto::Moment* last = LastMoment(snapshot)) PutMoment(*last, death);
    evidence.used_bytes = death.used_bytes;
    evidence.heap_used_bytes = executor.heap_used_peak_bytes;
    evidence.heap_max_bytes = executor.heap_max_bytes;
    evidence.last_word = LastWordOn(executor.id, record.removed_ms);
    CountKills(executor, record, snapshot, evidence);
    PutAge(snapshot, tasks, death);
    Verdict verdict = Judge(evidence);
    death.out_of_memory = verdict.out_of_memory;
    death.how = verdict.how;
    death.headline = ExecutorHeadline(death, verdict, executor, evidence.last_word);
    PutSites(tasks, death);
    if (death.out_of_memory) PutAdvice(executor, snapshot, tasks, verdict, evidence.last_word, death);
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
      PutMoment(worker.before(), death);
      death.last_sample_age_ms = std::max<int64_t>(0, worker.time_ms() - worker.before().time_ms());
    }
    WorkerEvidence evidence;
    evidence.signal = worker.signal();
    evidence.death.limit_bytes = death.limit_bytes;
    evidence.death.used_bytes = death.used_bytes;
    if (worker.has_oom_kills()) evidence.death.kernel_kills = worker.oom_kills();
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
        evidence.was_refused = refusal != nullptr && Caused(*refusal, *end);
        if (evidence.was_refused) death.address_space = AddressSpaceOf(*refusal);
      }
    }
    if (evidence.signal != 0) death.exit_code = kSignalBase + evidence.signal;
    Verdict verdict = JudgeWorker(evidence);
    death.out_of_memory = verdict.out_of_memory;
    death.how = verdict.how;
    death.headline = WorkerHeadline(death, evidence.signal);
    PutSites(tasks, death);
    if (death.out_of_memory) PutAdvice(executor, SnapshotOf(record), tasks, {}, std::nullopt, death);
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
    death.address_space = AddressSpaceOf(refusal);
    death.limit_bytes = death.address_space->limit_bytes;
    death.used_bytes = death.address_space->virtual_bytes;
    death.last_sample_age_ms = 0;
    PutStack(refusal.stack, death);
    death.how = RefusalEvidence(*death.address_space);
    death.headline = RefusalHeadline(death);
    std::vector<LastTask> tasks{{task_attempt_id, &task, LiveBytesOf(*task.profile)}};
    PutSites(tasks, death);
    PutAdvice(executor, SnapshotOf(record), tasks, {}, std::nullopt, death);
    return death;
  }

 private:
  void PutStack(StackId stack, ReportPostMortem& death) const {
    StackId shown = stacks_.ShownStack({stack, 1, Origin::kPython});  // as of a function: without PySpark's frames around it
    if (shown == 0) return;
    awaits_names_ = awaits_names_ || stacks_.AwaitsName(shown);
    death.stack = stacks_.Frames(shown);
  }

  // Attempts that the executor took with it: no end was reported, or that they were lost, and no profile was final.
  std::vector<LastTask> RunningOn(std::string_view executor) const {
    std::vector<LastTask> tasks;
    for (const auto& [id, task] : state_.tasks) {
      if (state_.interner->StringAt(task.executor) != executor || (task.profile && task.profile->final)) continue;
      if (task.ended && task.outcome != TaskOutcome::kLost) continue;
      tasks.push_back({id, &task, task.profile ? LiveBytesOf(*task.profile) : 0});
    }
    std::sort(tasks.begin(), tasks.end(), [](const LastTask& a, const LastTask& b) {
      return std::pair(~a.live_bytes, a.task_attempt_id) < std::pair(~b.live_bytes, b.task_attempt_id);
    });
    return tasks;
  }

  // The OutOfMemoryError of the task that failed last on this executor, right before it was gone.
  std::optional<JvmShortage> LastWordOn(std::string_view executor, int64_t removed_ms) const {
    const TaskRecord* last = nullptr;
    for (const auto& [id, task] : state_.tasks) {
      if (!task.ended || task.outcome != TaskOutcome::kFailed || state_.interner->StringAt(task.executor) != executor) continue;
      if (task.end_ms + kLastWordsMs < removed_ms) continue;
      if (last == nullptr || task.end_ms > last->end_ms) last = &task;
    }
    return last == nullptr ? std::nullopt : ParseJvmShortage(state_.interner->StringAt(last->error));
  }

  static const proto::Moment* LastMoment(const proto::ExecutorSnapshot& snapshot) {
    if (snapshot.has_last()) return &snapshot.last();
    return snapshot.has_at_peak() ? &snapshot.at_peak() : nullptr;  // of an executor of an older version
  }

  // A JVM that is dead can't look at the counter; the next one in the same cgroup does when it starts.
  void CountKills(const ReportExecutor& executor, const ExecutorRecord& record, const proto::ExecutorSnapshot& snapshot,
                  DeathEvidence& evidence) const {
    if (!snapshot.has_oom_kills() || snapshot.cgroup().empty() || snapshot.cgroup_shared()) return;
    std::tuple<uint64_t, std::string> first{UINT64_MAX, ""};
    for (const auto& [id, other] : state_.executors) {
      if (std::string_view(id) == executor.id || !other.added || other.added_ms < record.removed_ms) continue;
      proto::ExecutorSnapshot seen = SnapshotOf(other);
      if (seen.cgroup() != snapshot.cgroup() || seen.host() != snapshot.host() || !seen.has_oom_kills_at_start()) continue;
      if (seen.oom_kills_at_start() < snapshot.oom_kills()) continue;  // another cgroup of the same name
      first = std::min(first, {seen.oom_kills_at_start(), std::string(id)});
    }
    if (std::get<uint64_t>(first) == UINT64_MAX) return;
    evidence.kernel_kills = std::get<uint64_t>(first) - snapshot.oom_kills();
    evidence.counted_by = fmt::format("executor {}, the next one in it,", std::get<std::string>(first));
  }

  static void PutAge(const proto::ExecutorSnapshot& snapshot, const std::vector<LastTask>& tasks, ReportPostMortem& death) {
    int64_t latest = std::max(snapshot.taken_ms(), snapshot.last().time_ms());
    for (const LastTask& last : tasks) {
      if (last.task->profile) latest = std::max(latest, last.task->profile->taken_ms);
    }
    if (latest > 0) death.last_sample_age_ms = std::max<int64_t>(0, death.time_ms - latest);  // two hosts' clocks may differ
  }

  void PutSites(const std::vector<LastTask>& tasks, ReportPostMortem& death) const {
    if (!tasks.empty() && !death.task_attempt_id) {
      death.task_attempt_id = tasks.front().task_attempt_id;
      if (tasks.front().task->stage_id >= 0) death.stage_id = tasks.front().task->stage_id;
    }
    death.sites = SitesAtLastSample(tasks, *state_.interner, stacks_, kSitesShown, awaits_names_);
  }

  void PutAdvice(const ReportExecutor& executor, const proto::ExecutorSnapshot& snapshot, const std::vector<LastTask>& tasks,
                 const Verdict& verdict, const std::optional<JvmShortage>& shortage, ReportPostMortem& death) const {
    AdviceInput input;
    input.executor = &executor;
    input.death = &death;
    input.of_heap = verdict.of_heap;
    if (verdict.of_jvm) input.shortage = shortage;
    input.settings = &state_.configuration;
    input.tasks_at_once = tasks.size();
    if (snapshot.has_last()) input.last = MomentRow(snapshot.last());
    if (!tasks.empty()) PutPeersOf(tasks.front(), input);
    death.advice = Advise(input);
  }

  // What the other tasks of the same stage held at their peaks: whether this one is out of the ordinary.
  void PutPeersOf(const LastTask& dead, AdviceInput& input) const {
    input.task_bytes = dead.live_bytes;
    for (const auto& [id, task] : state_.tasks) {
      bool peer = id != dead.task_attempt_id && task.stage_id == dead.task->stage_id && task.partition != dead.task->partition;
      if (!peer || !task.profile || !task.profile->final || task.profile->partial) continue;
      uint64_t held = 0;
      for (const SiteRecord& site : task.profile->sites) {
        if (site.figures.live_at_peak_bytes != kUnmeasured) held += site.figures.live_at_peak_bytes;
      }
      input.peer_bytes.push_back(held);
    }
  }

  const StoreState& state_;
  const std::vector<ReportExecutor>& executors_;
  bool& awaits_names_;
  NamedStacks stacks_;
};

// What a death is known by, whatever is learnt of it later.
std::string ExecutorKey(std::string_view id) { return fmt::format("{}/executor", id); }
std::string WorkerKey(std::string_view id, int32_t pid, int64_t task) { return fmt::format("{}/worker/{}/{}", id, pid, task); }

std::string KeyOf(const ReportPostMortem& death) {
  if (death.process != "python-worker") return ExecutorKey(death.executor_id);
  return WorkerKey(death.executor_id, death.pid.value_or(0), death.task_attempt_id.value_or(-1));
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

// visit(executor's id, WorkerDeath)
template <typename Visit>
void ForEachWorkerDeath(const StoreState& state, Visit visit) {
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

// visit(executor's id, task attempt, TaskRecord, IncidentRecord): tasks that failed of memory that was refused to a worker which did
// not die of it.
template <typename Visit>
void ForEachRefusal(const StoreState& state, Visit visit) {
  for (const auto& [id, task] : state.tasks) {
    const IncidentRecord* refusal = FailedOf(task, state.interner->StringAt(task.error));
    if (refusal == nullptr || FatalSignalOf(task, refusal->pid) != nullptr) continue;
    visit(std::string(state.interner->StringAt(task.executor)), id, task, *refusal);
  }
}

}  // namespace

std::vector<ReportPostMortem> PostMortems(const StoreState& state, const std::vector<ReportExecutor>& executors, bool& awaits_names) {
  std::vector<ReportPostMortem> deaths;
  bool any = !state.worker_deaths.empty() || std::any_of(state.executors.begin(), state.executors.end(), [&](const auto& entry) {
    return DiedUnwanted(entry.second, state);
  }) || std::any_of(state.tasks.begin(), state.tasks.end(), [](const auto& entry) {
    return entry.second.profile && !entry.second.profile->incidents.empty();
  });
  if (!any) return deaths;
  Writer writer(state, executors, awaits_names);
  auto row_of = [&](std::string_view id) {
    return std::find_if(executors.begin(), executors.end(), [&](const ReportExecutor& row) { return row.id == id; });
  };
  for (const auto& [id, record] : state.executors) {
    auto row = row_of(std::string_view(id));
    if (row != executors.end() && DiedUnwanted(record, state)) deaths.push_back(writer.OfExecutor(*row, record));
  }
  ForEachWorkerDeath(state, [&](const std::string& id, const proto::WorkerDeath& worker) {
    auto row = row_of(id);
    auto record = state.executors.find(std::string_view(id));
    if (row != executors.end() && record != state.executors.end()) deaths.push_back(writer.OfWorker(*row, record->second, worker));
  });
  ForEachRefusal(state, [&](const std::string& id, int64_t task_attempt_id, const TaskRecord& task, const IncidentRecord& refusal) {
    auto row = row_of(id);
    auto record = state.executors.find(std::string_view(id));
    if (row == executors.end() || record == state.executors.end()) return;
    deaths.push_back(writer.OfRefusal(*row, record->second, task_attempt_id, task, refusal));
  });
  std::sort(deaths.begin(), deaths.end(),
            [](const auto& a, const auto& b) { return std::tuple(a.time_ms, KeyOf(a)) < std::tuple(b.time_ms, KeyOf(b)); });
  if (deaths.size() > kMaxPostMortems) deaths.resize(kMaxPostMortems);
  return deaths;
}

bool AnyUntoldDeath(const StoreState& state) {
  auto is_told = [](const auto& seen) { return seen.second < 0; };
  bool enough = state.seen_deaths.size() >= kMaxPostMortems && std::all_of(state.seen_deaths.begin(), state.seen_deaths.end(), is_told);
  if (enough) return false;
  auto told = [&](const std::string& key) {
    auto seen = state.seen_deaths.find(key);
    return seen != state.seen_deaths.end() && seen->second < 0;
  };
  for (const auto& [id, record] : state.executors) {
    if (DiedUnwanted(record, state) && !told(ExecutorKey(std::string_view(id)))) return true;
  }
  bool any = false;
  ForEachWorkerDeath(state, [&](const std::string& id, const proto::WorkerDeath& worker) {
    any = any || !told(WorkerKey(id, worker.pid(), worker.task_attempt_id()));
  });
  ForEachRefusal(state, [&](const std::string& id, int64_t task_attempt_id, const TaskRecord&, const IncidentRecord& refusal) {
    any = any || !told(WorkerKey(id, refusal.pid, task_attempt_id));
  });
  return any;
}

std::vector<ReportPostMortem> TakeUntold(const std::vector<ReportPostMortem>& deaths, int64_t now_ms, bool all, StoreState& state) {
  std::vector<ReportPostMortem> untold;
  for (const ReportPostMortem& death : deaths) {
    int64_t& seen = state.seen_deaths.try_emplace(KeyOf(death), now_ms).first->second;
    if (seen < 0 || (!all && now_ms - seen < kPatienceMs)) continue;
    seen = -1;
    untold.push_back(death);
  }
  return untold;
}

}  // namespace memprof
