#include "store/profile_store.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "base/cut_text.h"
#include "budget/budget.h"
#include "facts/error_title.h"
#include "intake/delivery.h"
#include "intake/host_kills.h"
#include "postmortem/failure_note.h"
#include "postmortem/post_mortems.h"
#include "report/json.h"
#include "report/views/post_mortem_text.h"
#include "rollup/bounds.h"
#include "rollup/executor_rows.h"
#include "rollup/state.h"
#include "store/event_writer.h"
#include "store/report_builder.h"
#include "store/told_deaths.h"

namespace memprof {
namespace {

constexpr size_t kMaxText = 2048;  // a stage's failure reason may be a stack trace of many KB
constexpr size_t kMaxNotAvailable = 200;
constexpr size_t kEventBytesAtATime = 1u << 20;  // they go through the driver's heap

}  // namespace

struct ProfileStore::Impl {
  Impl(uint64_t limit_bytes, int patience) : state(limit_bytes), events(patience), told(patience) {}

  // Runs `change` on the state under the mutex and keeps the bound.
  template <typename Change>
  auto Apply(Change change) {
    std::lock_guard lock(mutex);
    auto result = change(state);
    ++state.version;
    KeepWithinLimit(state);
    return result;
  }

  // Those of the report; call it with the mutex. The whole report is much more work.
  std::vector<ReportPostMortem> ShownDeaths() const {
    bool awaits_names = false;
    return PostMortems(state, {}, awaits_names).shown;
  }

  mutable std::mutex mutex;
  StoreState state;
  EventWriter events;
  ToldDeaths told;
  std::deque<std::string> waiting_deaths;
  std::deque<ReportEvent> waiting_events;
  mutable uint64_t awaits_version = UINT64_MAX;  // version of the state from which `awaits` was computed
  mutable bool awaits = false;
};

ProfileStore::ProfileStore(uint64_t limit_bytes, int patience) : impl_(std::make_unique<Impl>(limit_bytes, patience)) {}
ProfileStore::~ProfileStore() = default;

Status ProfileStore::Ingest(std::string_view envelope, const std::optional<Instant>& arrived) {
  return impl_->Apply([&](StoreState& state) { return Deliver(envelope, state, arrived); });
}

void ProfileStore::ApplicationStarted(std::string_view id, std::string_view name, std::string_view spark_version,
                                      std::string_view python_version, std::string_view master, int64_t time_ms) {
  impl_->Apply([&](StoreState& state) {
    ReportApplication& application = state.application;
    application.id = id;
    application.name = CutText(name, kMaxText);
    application.spark_version = spark_version;
    application.python_version = python_version;
    application.master = CutText(master, kMaxText);
    application.started_ms = time_ms;
    return true;
  });
}

void ProfileStore::Configuration(const std::vector<std::pair<std::string, std::string>>& entries) {
  impl_->Apply([&](StoreState& state) {
    for (const auto& [key, value] : entries) {
      if (IsKeptSetting(key)) state.configuration.insert_or_assign(key, std::string(CutText(value, kMaxText)));
    }
    return true;
  });
}

void ProfileStore::ExecutorAdded(const ExecutorAddition& added) {
  impl_->Apply([&](StoreState& state) {
    ExecutorFacts& executor = state.Executor(added.id);
    executor.host = added.host;
    executor.cores = added.cores;
    executor.resource_profile = added.resource_profile;
    executor.heap_mib = added.heap_mib;
    executor.overhead_mib = added.overhead_mib;
    executor.offheap_mib = added.offheap_mib;
    executor.pyspark_mib = added.pyspark_mib;
    executor.added = true;
    executor.added_ms = added.time_ms;
    executor.added_event = ++state.executor_events;
    return true;
  });
}

void ProfileStore::ExecutorRemoved(std::string_view id, std::string_view reason, int64_t time_ms) {
  impl_->Apply([&](StoreState& state) {
    ExecutorFacts& executor = state.Executor(id);
    executor.removed = true;
    executor.reported_by_jvm = id == "driver";
    executor.removed_ms = time_ms;
    executor.removed_event = ++state.executor_events;
    executor.removed_reason = CutText(reason, kMaxText);
    executor.cached_then = {state.cached.LargestIn(id, false), state.cached.LargestIn(id, true)};
    state.cached.ExecutorRemoved(id);
    WantHostKills(id, state);
    return true;
  });
}

void ProfileStore::StageSetting(int stage_id, const std::string& key, std::string_view value) {
  impl_->Apply([&](StoreState& state) {
    const auto known = state.configuration.find(key);
    if (!IsKeptSetting(key) || (known != state.configuration.end() && known->second == value)) return false;
    state.stage_settings[stage_id].insert_or_assign(key, std::string(CutText(value, kMaxText)));
    if (state.stage_settings.size() > StoreState::kMaxStageSettings) state.stage_settings.erase(state.stage_settings.begin());
    return true;
  });
}

void ProfileStore::StageSubmitted(int stage_id, int attempt, std::string_view name, std::string_view call_site, int tasks,
                                  int64_t time_ms) {
  impl_->Apply([&](StoreState& state) {
    StageFacts& stage = state.Stage({stage_id, attempt});
    stage.name = state.interner->String(CutText(name, kMaxText));
    stage.call_site = state.interner->String(CutText(call_site, kMaxText));
    stage.partitions = tasks;
    stage.submitted = true;
    stage.submitted_ms = time_ms;
    state.actions.StageSubmitted(stage_id);
    return true;
  });
}

void ProfileStore::StageCompleted(int stage_id, int attempt, std::string_view failure_reason, int64_t time_ms) {
  impl_->Apply([&](StoreState& state) {
    StageFacts& stage = state.Stage({stage_id, attempt});
    stage.failure_reason = state.interner->String(CutText(failure_reason, kMaxText));
    stage.completed = true;
    stage.cached = {state.cached.Largest(false), state.cached.Largest(true)};
    stage.completed_ms = time_ms;
    if (failure_reason.empty()) state.actions.StageCompleted(stage_id, time_ms);
    return true;
  });
}

void ProfileStore::TaskEnded(const TaskEnd& end) {
  impl_->Apply([&](StoreState& state) {
    if (state.folded_tasks.Contains(end.task_attempt_id)) return true;
    TaskFacts& task = state.tasks[end.task_attempt_id];
    // When the shuffle output of a successful task is lost, Spark ends the task a second time (Resubmitted); the second end counts. If
    // another attempt of the partition has succeeded since, Spark does so for failed attempts as well; for these the first end counts.
    if (task.ended && task.outcome != TaskOutcome::kSucceeded) return true;
    if (task.ended && std::pair(end.time_ms, end.outcome) <= std::pair(task.end_ms, task.outcome)) return true;
    const bool was_running = !task.ended;
    task.stage_id = end.stage_id;
    task.stage_attempt = end.stage_attempt;
    task.partition = end.partition;
    task.attempt = end.attempt_number;
    task.launched_ms = std::max<int64_t>(end.times.launched_ms, 0);
    task.gc_ms = std::max<int64_t>(end.times.gc_ms, -1);
    if (!end.executor_id.empty()) task.executor = state.interner->String(end.executor_id);
    task.ended = true;
    task.outcome = end.outcome;
    task.end_ms = end.time_ms;
    task.error = state.interner->String(ErrorTitle(end.error));
    task.fatal = end.outcome == TaskOutcome::kFailed ? state.interner->String(FatalError(end.error)) : 0;
    const auto executor = state.executors.find(end.executor_id);
    if (executor == state.executors.end()) return true;
    ExecutorFacts& facts = executor->second;
    if (end.outcome == TaskOutcome::kSucceeded) facts.last_success_ms = std::max(facts.last_success_ms, end.time_ms);
    if (end.outcome == TaskOutcome::kLost && was_running) {
      facts.task_lost_ms = std::min(facts.task_lost_ms.value_or(end.time_ms), end.time_ms);
      if (facts.task_lost_event == 0) facts.task_lost_event = ++state.executor_events;
    }
    return true;
  });
}

void ProfileStore::QueryStarted(int64_t query_id, std::string_view call_site, int64_t time_ms) {
  impl_->Apply([&](StoreState& state) {
    state.actions.QueryStarted(query_id, call_site, time_ms);
    return true;
  });
}

void ProfileStore::JobStarted(const JobStart& job) {
  impl_->Apply([&](StoreState& state) {
    state.actions.Started(job);
    return true;
  });
}

void ProfileStore::TaskResult(int stage_id, int64_t task_attempt_id, uint64_t bytes) {
  impl_->Apply([&](StoreState& state) {
    const auto task = state.tasks.find(task_attempt_id);
    const uint64_t ours = task == state.tasks.end() ? 0 : task->second.message_bytes;
    state.actions.Result(stage_id, bytes - std::min(bytes, ours));
    return true;
  });
}

void ProfileStore::QueryRows(int64_t query_id, std::optional<uint64_t> rows, bool broadcast) {
  impl_->Apply([&](StoreState& state) {
    state.actions.MadeRows(query_id, rows, broadcast);
    return true;
  });
}

void ProfileStore::JobEnded(int job_id, std::string_view failure, int64_t time_ms) {
  impl_->Apply([&](StoreState& state) {
    state.actions.Ended(job_id, failure, time_ms);
    return true;
  });
}

void ProfileStore::CachedRdd(int rdd_id, std::string_view name, std::string_view call_site, const StorageLevel& level, int partitions) {
  impl_->Apply([&](StoreState& state) {
    state.cached.Describe(rdd_id, name, call_site, level, partitions);
    return true;
  });
}

void ProfileStore::BlockUpdated(const CachedBlock& block, std::string_view executor_id, uint64_t memory_bytes, uint64_t disk_bytes) {
  impl_->Apply([&](StoreState& state) {
    state.cached.Update(block, executor_id, std::min(memory_bytes, kMaxFigure), std::min(disk_bytes, kMaxFigure));
    return true;
  });
}

void ProfileStore::RddUnpersisted(int rdd_id) {
  impl_->Apply([&](StoreState& state) {
    state.cached.Unpersisted(rdd_id);
    return true;
  });
}

void ProfileStore::ApplicationEnding(int64_t time_ms) {
  impl_->Apply([&](StoreState& state) {
    state.ending_ms = time_ms;
    state.NoteEnd();
    return true;
  });
}

void ProfileStore::ApplicationEnded(int64_t time_ms) {
  impl_->Apply([&](StoreState& state) {
    state.application.ended_ms = time_ms;
    state.actions.ApplicationEnded();
    state.NoteEnd();
    return true;
  });
}

void ProfileStore::NotAvailable(std::string_view what, std::string_view why) {
  impl_->Apply([&](StoreState& state) {
    if (state.not_available.size() < kMaxNotAvailable) {
      state.not_available.insert({std::string(CutText(what, kMaxText)), std::string(CutText(why, kMaxText))});
    }
    return true;
  });
}

bool ProfileStore::AwaitsSymbols() const {
  std::lock_guard lock(impl_->mutex);
  if (impl_->awaits_version != impl_->state.version) {
    impl_->awaits = BuildReport(impl_->state, false).awaits_names;
    impl_->awaits_version = impl_->state.version;
  }
  bool any_sender = false;  // only a living executor can still send names
  for (const auto& [id, executor] : impl_->state.executors) any_sender = any_sender || !executor.removed;
  return impl_->awaits && any_sender;
}

std::string ProfileStore::NextPostMortem(int64_t now_ms, bool all) {
  std::lock_guard lock(impl_->mutex);
  std::deque<std::string>& waiting = impl_->waiting_deaths;
  if (waiting.empty() && impl_->told.AnyUntold(impl_->state, now_ms, all)) {
    for (std::string& text : impl_->told.Take(impl_->state, now_ms, all)) waiting.push_back(std::move(text));
    if (!waiting.empty()) impl_->events.NoteDeaths();
  }
  return waiting.empty() ? std::string() : waiting.front();
}

void ProfileStore::PostMortemTold() {
  std::lock_guard lock(impl_->mutex);
  if (!impl_->waiting_deaths.empty()) impl_->waiting_deaths.pop_front();
}

std::optional<std::string> ProfileStore::FailureNote(std::string_view failure, const std::optional<FailedJob>& job, int64_t now_ms) const {
  if (!TellsOfDeath(failure)) return std::nullopt;
  if (!job && !TellsOfFullHeap(failure)) return "";
  std::vector<ReportPostMortem> deaths;
  {
    std::lock_guard lock(impl_->mutex);  // for a short time: the program's thread waits for this
    deaths = impl_->ShownDeaths();
  }
  const ReportPostMortem* death = DeathOf(failure, job, deaths, now_ms);
  return death == nullptr ? "" : death->headline;
}

std::vector<ReportEvent> ProfileStore::TakeEvents(int64_t now_ms, bool end, bool with_source) {
  std::lock_guard lock(impl_->mutex);
  std::deque<ReportEvent>& waiting = impl_->waiting_events;
  if (waiting.empty()) {
    for (ReportEvent& event : impl_->events.Take(impl_->state, now_ms, end, with_source)) waiting.push_back(std::move(event));
  }
  std::vector<ReportEvent> events;
  for (size_t bytes = 0; !waiting.empty() && bytes < kEventBytesAtATime; waiting.pop_front()) {
    bytes += waiting.front().text.size();
    events.push_back(std::move(waiting.front()));
  }
  return events;
}

MetricValues ProfileStore::Metrics() const {
  std::lock_guard lock(impl_->mutex);
  return MetricsOf(impl_->state);
}

Report ProfileStore::Model(bool unfinished, bool with_source) const {
  Report report;
  {
    std::lock_guard lock(impl_->mutex);
    report = BuildReport(impl_->state, unfinished).report;
  }
  if (with_source) return report;
  for (ReportStage& stage : report.stages) {
    for (ReportLine& line : stage.lines) line.source.clear();
    for (ReportLine& line : stage.other_attempts.lines) line.source.clear();
  }
  return report;
}

std::vector<ReportSite> ProfileStore::SitesHeldBy(int64_t task_attempt_id) const {
  std::lock_guard lock(impl_->mutex);
  return memprof::SitesHeldBy(task_attempt_id, impl_->state);
}

std::string ProfileStore::ReportJson(bool unfinished) const { return WriteReportJson(Model(unfinished)); }

}  // namespace memprof
