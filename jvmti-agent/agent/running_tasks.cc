#include "agent/running_tasks.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/warning.h"
#include "stacks/thread_name.h"
#include "tasks/service_threads.h"
#include "tasks/thread_task.h"
#include "watch/in_turn.h"

namespace memprof {
namespace {

constexpr size_t kInterimBytes = 8 << 10;  // twice the size in a heartbeat: these profiles may be the last
constexpr size_t kMostTasks = 32;          // whose profiles are sent at once: the message queue is bounded

// Of the executor's figures beside those of tasks that have ended; what is near a limit is sent at once, by itself.
constexpr int64_t kTellAgainMs = 500;

// Of the profiles that are sent again every twenty seconds (decision 0313): 200 KiB a second for 500 executors.
constexpr size_t kSomeBytes = 8 << 10, kSomeTasks = 4;

// The application for which this thread began a task last; 0 = none. A task ends on the thread that it began on.
__attribute__((tls_model("initial-exec"))) thread_local constinit uint64_t application_of_thread = 0;

// The working directory of another executor on this host, if directories are named after executors' ids, as in a standalone cluster;
// otherwise "".
std::string DirectoryBeside(const std::string& executor_id, const std::string& own_id) {
  std::error_code gone;
  const std::filesystem::path own = std::filesystem::current_path(gone);
  return own.filename() == own_id ? (own.parent_path() / executor_id).string() : std::string();
}

}  // namespace

void RunningTasks::Started(const TaskKey& key) {
  const ApplicationRef application = ground_->application.Get();
  if (application == nullptr) return;
  application_of_thread = application->number;
  SetCurrentTask(ground_->tasks.Begin(key, ground_->stacks.Current(), EpochMs(), ground_->pauses.total_ns()));
  ground_->watcher.TaskStarted();
}

std::string RunningTasks::Closed(JNIEnv* jni, int64_t task_attempt_id, size_t max_bytes) noexcept {
  std::string envelope;
  Guarded([&] {
    const ApplicationRef application = ground_->application.Get();
    if (application == nullptr) return;
    // A late call of the application before: another task has this id now.
    if (application_of_thread != 0 && application_of_thread != application->number) return;
    JvmFigures figures;
    const TaskTag tag = ground_->tasks.Find(task_attempt_id);
    if (const std::unique_ptr<TaskFigures> ended = ground_->tasks.End(task_attempt_id)) {
      figures = CopyOf(*ended);
      figures.ended_ms = EpochMs();
      offheap_->left().TaskEnded(tag, *ended);
      malloc_->left().TaskEnded(tag, *ended);
    }
    Guarded([&] { ground_->stacks.NamePending(ground_->jvm.jvmti(), jni); });  // without names it is still a profile
    ground_->watcher.TaskEnded();
    std::optional<FoundSessions> found = SessionsOf(*application, task_attempt_id, Leftovers::kRead);
    if (!found) found.emplace().unreadable = 1;
    const FoundSessions& python = *found;
    for (const ProcessRss& rss : python.rss) ground_->watcher.news().SetRss(rss);
    for (const ProcessBaseline& baseline : python.baselines) ground_->watcher.news().SetBaseline(baseline);
    envelope = Profile(*application, figures, python, true, max_bytes);
    application->reads->Acknowledge(python.closed);
  });
  return envelope;
}

std::string RunningTasks::Snapshot(int64_t task_attempt_id, size_t max_bytes) noexcept {
  std::string envelope;
  Guarded([&] {
    const ApplicationRef application = ground_->application.Get();
    if (application == nullptr) return;
    // An interim profile without Python's part would take the place of an earlier one with it.
    const std::optional<FoundSessions> python = SessionsOf(*application, task_attempt_id, Leftovers::kLeave);
    if (python) envelope = Profile(*application, FiguresNow(task_attempt_id), *python, false, max_bytes);
  });
  return envelope;
}

std::string RunningTasks::SnapshotOf(const Application& application, DeathInBox* death) noexcept {
  std::string envelope;
  Guarded([&] {
    const int64_t task = death->death.task_attempt_id();
    FoundSessions python = std::move(death->sessions);
    AddOtherSessions(application.Boxes(), task, Leftovers::kLeave, death->box_path, &python);
    envelope = Profile(application, FiguresNow(task), python, false, 0);
  });
  return envelope;
}

std::optional<FoundSessions> RunningTasks::SessionsOf(const Application& application, int64_t task_attempt_id, Leftovers leftovers) {
  std::optional<FoundSessions> found = application.reads->Find(application.Boxes(), task_attempt_id, leftovers);
  if (application.reads->TakeFirstLate()) Warn(std::string("some tasks' figures are missing: ") + kSilentBoxes);
  return found;
}

JvmFigures RunningTasks::FiguresNow(int64_t task_attempt_id) {
  JvmFigures figures;
  ground_->tasks.WithTask(ground_->tasks.Find(task_attempt_id), [&](TaskFigures& task) { figures = CopyOf(task); });
  return figures;
}

// Returns "" when neither the JVM nor a Python process has seen the task.
std::string RunningTasks::Profile(const Application& application, const JvmFigures& figures, const FoundSessions& python, bool final,
                                  size_t max_bytes) {
  if (figures.key.task_attempt_id < 0 && python.sessions.empty()) return {};
  for (const RefusedBoxes::Named& box : python.refused.named) ground_->shortcomings.Add("a Python process in " + box.path, box.why);
  TaskProfileInputs inputs;
  inputs.jvm = figures;
  inputs.sessions = python.sessions;
  inputs.unreadable_sessions = python.unreadable;
  inputs.executor_id = application.request.executor_id;
  std::error_code gone;
  inputs.working_directory = std::filesystem::current_path(gone).string();
  inputs.sequence = sequence_.fetch_add(1) + 1;
  inputs.heap_interval_bytes = heap_->interval_bytes();
  inputs.final = final;
  if (ground_->jvm.can_see_pauses() && figures.key.task_attempt_id >= 0) {
    inputs.gc_stopped_ns = ground_->pauses.total_ns() - figures.stopped_before_ns;
  }
  const proto::ExecutorSnapshot executor = ground_->watcher.Snapshot();
  if (!final || IsNews(executor)) inputs.executor = &executor;
  if (max_bytes != 0) inputs.max_bytes = max_bytes;
  return Build(application, std::move(inputs));
}

// Of a hundred tasks that end in a second each would bring the same figures, and the driver would join them each time.
bool RunningTasks::IsNews(const proto::ExecutorSnapshot& executor) {
  int64_t told = told_ms_;
  return std::abs(executor.taken_ms() - told) >= kTellAgainMs && told_ms_.compare_exchange_strong(told, executor.taken_ms());
}

std::string RunningTasks::Build(const Application& application, TaskProfileInputs inputs) {
  inputs.names = &names_->native();
  inputs.withheld = application.withheld();
  inputs.taken_ms = inputs.jvm.ended_ms != 0 ? inputs.jvm.ended_ms : EpochMs();
  if (inputs.max_bytes == 0) inputs.max_bytes = application.options.task_max_bytes;
  BuiltProfile built = BuildTaskProfile(inputs);
  names_->Want(built);
  return std::move(built.envelope);
}

void RunningTasks::SendOrphan(const Application& application, const OrphanedTask& task) {
  TaskProfileInputs inputs;
  inputs.sessions = task.sessions;
  inputs.executor_id = task.executor_id;
  inputs.working_directory = DirectoryBeside(task.executor_id, application.request.executor_id);
  inputs.recovered = true;
  ground_->messages.Put(Build(application, std::move(inputs)));
}

void RunningTasks::Forget() {
  for (const int64_t task : ground_->tasks.Running()) ground_->tasks.End(task);
}

void RunningTasks::ThreadStarting(jthread thread) {
  const TaskTag task = CurrentTask();
  if (ground_->application.running() && ground_->tasks.IsRunning(task)) ground_->jvm.jvmti()->SetTag(thread, ToObjectTag(task));
}

void RunningTasks::ThreadStart(JNIEnv* jni, jthread thread) {
  jvmtiEnv* jvmti = ground_->jvm.jvmti();
  const bool carries = carriers_.Has(jni, thread);
  if (carries) ground_->buckets.SetThisThread(kVirtualThreads);
  jlong tag = 0;
  if (jvmti->GetTag(thread, &tag) != JVMTI_ERROR_NONE || tag == 0) return;
  jvmti->SetTag(thread, 0);
  if (carries || ServesAllTasks(ThreadName(jvmti, jni, thread))) return;
  SetCurrentTask(FromObjectTag(tag));
}

std::vector<std::string> RunningTasks::Snapshots() {
  std::vector<std::string> envelopes;
  size_t seen = 0;
  for (const int64_t task : ground_->tasks.Running()) {
    if (++seen > kMostTasks) break;
    std::string envelope = Snapshot(task, kInterimBytes);
    if (!envelope.empty()) envelopes.push_back(std::move(envelope));
  }
  return envelopes;
}

void RunningTasks::Send() {
  for (std::string& envelope : Snapshots()) ground_->messages.Put(std::move(envelope));
}

void RunningTasks::SendSome() {
  const std::vector<int64_t> tasks = InTurn(ground_->tasks.Running(), said_last_, kSomeTasks);
  for (const int64_t task : tasks) {
    said_last_ = task;
    std::string envelope = Snapshot(task, kSomeBytes / tasks.size());
    if (!envelope.empty()) ground_->messages.Put(std::move(envelope));
  }
}

}  // namespace memprof
