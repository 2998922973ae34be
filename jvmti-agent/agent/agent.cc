#include "agent/agent.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <filesystem>

#include "agent/jdk_natives.h"
#include "base/clock.h"
#include "base/valid_utf8.h"
#include "base/warning.h"
#include "rows/hotspot_layout.h"
#include "shortage/vm_exit.h"
#include "sites/live_set.h"
#include "tasks/task_profile.h"
#include "tasks/thread_task.h"

namespace memprof {
namespace {

// What runs below JNI and JVMTI must not throw; all that can is std::bad_alloc, and then the figure is lost, not the JVM.
template <typename Work>
void Guarded(Work&& work) noexcept {
  try {
    work();
  } catch (const std::exception&) {
  }
}

// The folder for boxes: made 0700, or ours already. Others must not be able to put files into it.
Status MakePrivateDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return Status::Error(ErrorCode::kIo, "cannot make %s: %s; set spark.memprof.box.dir", path.c_str(), strerror(errno));
  }
  struct stat info;
  if (lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077) != 0) {
    return Status::Error(ErrorCode::kIo, "%s is not a directory of ours with mode 0700; set spark.memprof.box.dir", path.c_str());
  }
  return {};
}

// The application for which this thread began a task last; 0 = none. A task ends on the thread that it began on.
__attribute__((tls_model("initial-exec"))) thread_local constinit uint64_t application_of_thread = 0;

// Where an executor of this host works, if it does so in a folder of its id's name beside ours, as in a standalone cluster; else "".
std::string DirectoryBeside(const std::string& executor_id, const std::string& own_id) {
  std::error_code gone;
  const std::filesystem::path own = std::filesystem::current_path(gone);
  return own.filename() == own_id ? (own.parent_path() / executor_id).string() : std::string();
}

}  // namespace

Agent& Agent::Get() {
  static Agent* agent = new Agent;
  return *agent;
}

// False when there is nothing (more) to prepare.
bool Agent::TakeOptions(JavaVM* vm, const char* options) {
  vm_ = vm;
  if (jvm_.prepared() || !inert_.empty()) return false;
  const std::vector<Status> bad = ParseAgentPath(options, &path_options_);
  for (const Status& status : bad) Warn(std::string(status.message()) + "; the JVM runs without profiling");
  if (!bad.empty()) inert_ = std::string("agent path: ") + bad.front().message();
  return bad.empty() && path_options_.enabled;
}

void Agent::OnLoad(JavaVM* vm, const char* options) noexcept {
  Guarded([&] {
    const std::lock_guard lock(lifecycle_);
    if (!TakeOptions(vm, options)) return;
    offheap_.SetInterval(path_options_.offheap_interval_bytes);
    follows_offheap_ = true;
    const Status status = jvm_.Prepare(vm, Jvm::Phase::kOnLoad, &shortcomings_);
    if (!status.ok()) inert_ = status.message();
  });
}

void Agent::OnAttach(JavaVM* vm, const char* options) noexcept {
  Guarded([&] {
    const std::lock_guard lock(lifecycle_);
    TakeOptions(vm, options);
  });
}

void Agent::OnJniLoad(JavaVM* vm) noexcept {
  Guarded([&] {
    const std::lock_guard lock(lifecycle_);
    vm_ = vm;
  });
}

std::optional<std::string> Agent::Start(JNIEnv* jni, const StartRequest& request) noexcept {
  std::optional<std::string> reason = "out of memory";
  Guarded([&] {
    const std::lock_guard lock(lifecycle_);
    if (!inert_.empty()) {
      reason = inert_;
      return;
    }
    if (running_.load()) {
      reason.reset();
      return;
    }
    AgentOptions options = path_options_;
    for (const std::string& option : request.options) {
      const Status status = ApplyOption(option, &options);
      if (status.ok()) continue;
      reason = std::string("spark.memprof: ") + status.message();
      return;
    }
    if (!options.enabled) {
      reason = "switched off by enabled=false";
      return;
    }
    if (vm_ == nullptr) {
      reason = "the library was not loaded by a JVM";
      return;
    }
    if (!jvm_.prepared()) {
      const Status status = jvm_.Prepare(vm_, Jvm::Phase::kLive, &shortcomings_);
      if (!status.ok()) {
        reason = inert_ = status.message();
        return;
      }
      RebindJdkNatives(jni, &jvm_, &shortcomings_);
    }
    if (!request.box_directory.empty()) {
      const Status status = MakePrivateDirectory(request.box_directory);
      if (!status.ok()) {
        reason = status.message();
        return;
      }
    }
    Forget();  // once more: a thread of the application before may have begun a task while it was stopped
    const auto application =
        std::make_shared<const Application>(Application{++applications_, request, options, ReachedBounds(), pauses_.total_ns(),
                                                        ReadHotSpotSwitch("ExitOnOutOfMemoryError").value_or(false)});
    collectors_.Begin();
    heap_.SetInterval(options.heap_interval_bytes);
    offheap_.SetInterval(options.offheap_interval_bytes);
    messages_.Open();
    shortages_.Reset();
    nearly_full_.Reset();
    SendWordsOfTheDead(*application);
    StartWatcher(application);
    StartNamer(application);
    StartSourceReader(application);
    StartSweeper(application);
    StartBoxKeeper(application);
    {
      const std::lock_guard application_lock(application_mutex_);
      application_ = application;
    }
    follows_offheap_ = true;
    running_.store(true, std::memory_order_release);
    jvm_.SetThreadEvents(true);
    jvm_.SetPauseEvents(true);
    jvm_.SetExhaustionEvents(true);
    const Status watched = WatchOutOfMemoryExit(vm_, jni, [](JNIEnv* dying) { Agent::Get().OnHeapExhaustedExit(dying); });
    if (!watched.ok()) shortcomings_.Add("last words before ExitOnOutOfMemoryError", watched.message());
    jvm_.StartHeapSampling(options.heap_interval_bytes, &shortcomings_);
    reason.reset();
  });
  return reason;
}

void Agent::Stop() noexcept {
  LetOutOfMemoryExitEnd();
  Guarded([&] {
    const std::lock_guard lock(lifecycle_);
    if (!running_.exchange(false)) return;
    const ApplicationRef application = Running();
    {
      const std::lock_guard application_lock(application_mutex_);
      application_.reset();
    }
    follows_offheap_ = false;
    jvm_.StopHeapSampling();
    jvm_.SetThreadEvents(false);
    jvm_.SetExhaustionEvents(false);
    sweeper_.Stop();
    jvm_.SetPauseEvents(false);
    WithReferences([this](WeakReferences& references) { live_objects_.End(references); });
    namer_.Stop();
    source_reader_.Stop();
    ForEachBox(application->Boxes(), [this](const std::string&, const BoxReader& box) {
      if (const std::optional<ProcessRows> rows = RowsOf(box)) watcher_.SetRows(*rows);  // for its last snapshot
    });
    watcher_.Stop();
    Forget();
    box_keeper_.Stop();
    messages_.Close();
  });
}

Agent::ApplicationRef Agent::Running() const {
  const std::lock_guard lock(application_mutex_);
  return application_;
}

void Agent::Forget() {
  for (const int64_t task : tasks_.Running()) tasks_.End(task);
  left_behind_.Clear();
  buckets_.Clear();
}

Agent::Bounds Agent::ReachedBounds() const {
  return {stacks_.dropped_frames(), offheap_.dropped_blocks(), messages_.dropped(), tasks_.replaced()};
}

void Agent::StartWatcher(const ApplicationRef& application) {
  WatcherOptions options;
  options.host = application->request.host;
  const std::string version = jvm_.Property("java.vm.version");  // 17.0.15+6-…
  options.java_version = version.substr(0, version.find('+'));
  options.agent_loaded = jvm_.phase() == Jvm::Phase::kOnLoad ? "agentpath" : "jar";
  options.with_driver = application->request.executor_id == "driver";
  options.withheld = application->options.source == Source::kNone;
  options.granted_bytes = application->options.container_bytes;
  options.offheap_live_bytes = [this] { return offheap_.live_bytes(); };
  options.offheap_blocks = [this] { return offheap_.BlocksFrom(kLargeBlock); };
  options.pauses = [this] { return PauseSums{pauses_.count(), pauses_.total_ns()}; };
  options.running_tasks = [this] { return tasks_.Running(); };
  options.running_stages = [this] { return tasks_.RunningStages(); };
  options.complete = [this, application](proto::ExecutorSnapshot* snapshot) { CompleteSnapshot(*application, snapshot); };
  options.send = [this, application](const proto::ExecutorSnapshot& snapshot) {
    proto::Envelope envelope;
    *envelope.mutable_executor() = snapshot;
    Send(*application, std::move(envelope));
  };
  options.send_time_line = [this, application](proto::TimeLine samples) {
    proto::Envelope envelope;
    *envelope.mutable_time_line() = std::move(samples);
    Send(*application, std::move(envelope));
  };
  options.early = [this, application](bool climbs) {
    climbs ? SendRunningTasks() : SendSomeTasks();
    SendLeftBehind(*application);
  };
  options.worker_died = [this, application](const DeadWorker& worker) { SendWorkerDeath(*application, worker); };
  const Status status = watcher_.Start(std::move(options));
  if (!status.ok()) shortcomings_.Add("processes and container", status.message());
}

void Agent::StartNamer(const ApplicationRef& application) {
  NativeNamerOptions options;
  options.boxes = application->Boxes();
  options.send = [this, application](proto::Symbols symbols) {
    proto::Envelope envelope;
    *envelope.mutable_symbols() = std::move(symbols);
    Send(*application, std::move(envelope));
  };
  const Status status = namer_.Start(std::move(options));
  if (!status.ok()) shortcomings_.Add("names of native functions", status.message());
}

void Agent::StartSourceReader(const ApplicationRef& application) {
  const AgentOptions& options = application->options;
  if (options.source != Source::kLines) return;
  Result<Redaction> redaction = Redaction::Make(options.redaction.empty() ? Redaction::kSparksDefault : options.redaction);
  if (!redaction.ok()) {
    shortcomings_.Add("source lines", "spark.redaction.regex can't be read here: " + std::string(redaction.status().message()));
    return;
  }
  const Status status = source_reader_.Start(
      *std::move(redaction),
      [this, application](proto::Symbols lines) {
        proto::Envelope envelope;
        *envelope.mutable_symbols() = std::move(lines);
        Send(*application, std::move(envelope));
      },
      options.patience);
  if (!status.ok()) shortcomings_.Add("source lines", status.message());
}

void Agent::StartSweeper(const ApplicationRef& application) {
  if (!jvm_.can_sample_heap()) return;
  WithReferences([&](WeakReferences& references) { live_objects_.Begin(application->options.heap_interval_bytes, references); });
  HeapSweeperOptions options;
  options.vm = vm_;
  options.current_stacks = [this] { return stacks_.Current(); };
  options.thread_name = [this](uint32_t bucket) { return buckets_.NameOf(bucket); };
  options.send = [this, application](proto::RetainedHeap retained) {
    proto::Envelope envelope;
    *envelope.mutable_retained_heap() = std::move(retained);
    Send(*application, std::move(envelope));
  };
  options.look = [this, application](JNIEnv* jni, const auto& retained) { TellNearlyFull(jni, *application, retained); };
  const Status status = sweeper_.Start(std::move(options));
  if (!status.ok()) shortcomings_.Add("what the heap retains", status.message());
}

// Start and Stop come on threads of the JVM.
template <typename Use>
void Agent::WithReferences(Use&& use) {
  void* jni = nullptr;
  if (vm_ == nullptr || vm_->GetEnv(&jni, JNI_VERSION_1_8) != JNI_OK) return;
  JniWeakReferences references(static_cast<JNIEnv*>(jni));
  use(references);
}

void Agent::StartBoxKeeper(const ApplicationRef& application) {
  BoxKeeperOptions options;
  options.boxes = application->Boxes();
  options.grace *= application->options.patience;
  options.running_tasks = [this] { return tasks_.Running(); };
  options.last_task = [this](int32_t pid, int64_t task) { watcher_.SetLastTask(pid, task); };
  options.rows = [this](const ProcessRows& rows) { watcher_.SetRows(rows); };
  options.orphan = [this, application](const OrphanedTask& task) { SendOrphan(*application, task); };
  options.words = [this, application] { SendWordsOfTheDead(*application); };
  const Status status = box_keeper_.Start(std::move(options));
  if (!status.ok()) shortcomings_.Add("boxes of processes that ended are removed when the executor ends", status.message());
}

// What a dead executor's Python workers held for a task.
void Agent::SendOrphan(const Application& application, const OrphanedTask& task) {
  TaskProfileInputs inputs;
  inputs.sessions = task.sessions;
  inputs.names = &names_;
  inputs.executor_id = task.executor_id;
  inputs.working_directory = DirectoryBeside(task.executor_id, application.request.executor_id);
  inputs.withheld = application.options.source == Source::kNone;
  inputs.recovered = true;
  inputs.taken_ms = EpochMs();
  inputs.max_bytes = application.options.task_max_bytes;
  BuiltProfile built = BuildTaskProfile(inputs);
  namer_.Want(built.unnamed);
  source_reader_.Want(built.user_lines);
  messages_.Put(std::move(built.envelope));
}

void Agent::Send(const Application& application, proto::Envelope envelope) {
  envelope.set_schema_version(1);
  envelope.set_executor_id(ValidUtf8(application.request.executor_id));
  messages_.Put(envelope.SerializeAsString());
}

// What only the agent knows: bounds that were reached, bytes of no task, what it cannot measure.
void Agent::CompleteSnapshot(const Application& application, proto::ExecutorSnapshot* snapshot) const {
  constexpr size_t kMostBuckets = 24;
  const auto count = [&](const std::string& name, uint64_t value) {
    if (value == 0) return;
    proto::Counter* counter = snapshot->add_counters();
    counter->set_name(ValidUtf8(name));
    counter->set_value(value);
  };
  const Bounds now = ReachedBounds();
  count("droppedJavaFrames", now.java_frames - application.before.java_frames);
  count("droppedOffHeapBlocks", now.offheap_blocks - application.before.offheap_blocks);
  count("droppedMessages", now.messages - application.before.messages);
  count("replacedTasks", now.tasks - application.before.tasks);
  count("thinnedLiveObjects", live_objects_.doublings());
  count("droppedRetainedSites", live_objects_.lost_sites());
  count("modulesWithoutLines", namer_.modules_without_lines());
  snapshot->set_exits_on_out_of_memory(application.exits_on_out_of_memory);
  collectors_.Describe(snapshot);
  if (jvm_.can_see_pauses())
    snapshot->set_gc_stopped_ms(static_cast<uint64_t>(pauses_.total_ns() - application.stopped_before_ns) / 1'000'000);
  for (const auto& [thread, bytes] : buckets_.Largest(kMostBuckets)) count("noTaskHeapBytes: " + thread, static_cast<uint64_t>(bytes));
  for (const Shortcomings::Entry& entry : shortcomings_.All()) {
    proto::NotAvailable* message = snapshot->add_not_available();
    message->set_what(ValidUtf8(entry.what));
    message->set_why(ValidUtf8(entry.why));
  }
}

void Agent::TaskStarted(const TaskKey& key) noexcept {
  Guarded([&] {
    const ApplicationRef application = Running();
    if (application == nullptr) return;
    application_of_thread = application->number;
    SetCurrentTask(tasks_.Begin(key, stacks_.Current(), EpochMs(), pauses_.total_ns()));
    watcher_.TaskStarted();
  });
}

std::string Agent::TaskClosed(int64_t task_attempt_id, size_t max_bytes) noexcept {
  std::string envelope;
  Guarded([&] {
    const ApplicationRef application = Running();
    if (application == nullptr) return;
    // A straggler of the application before: under its id runs another task now.
    if (application_of_thread != 0 && application_of_thread != application->number) return;
    JvmFigures figures;
    const TaskTag tag = tasks_.Find(task_attempt_id);
    if (const std::unique_ptr<TaskFigures> ended = tasks_.End(task_attempt_id)) {
      figures = CopyOf(*ended);
      left_behind_.Keep(tag, *ended);
    }
    watcher_.TaskEnded();
    const FoundSessions python = FindSessions(application->Boxes(), task_attempt_id, Leftovers::kRead);
    for (const ProcessRows& rows : python.rows) watcher_.SetRows(rows);
    for (const ProcessBaseline& baseline : python.baselines) watcher_.SetBaseline(baseline);
    envelope = Profile(*application, figures, python, true, max_bytes);
    Acknowledge(python.closed);
  });
  return envelope;
}

std::string Agent::TaskSnapshot(int64_t task_attempt_id, size_t max_bytes) noexcept {
  std::string envelope;
  Guarded([&] {
    const ApplicationRef application = Running();
    if (application == nullptr) return;
    JvmFigures figures;
    tasks_.WithTask(tasks_.Find(task_attempt_id), [&](TaskFigures& task) { figures = CopyOf(task); });
    envelope = Profile(*application, figures, FindSessions(application->Boxes(), task_attempt_id, Leftovers::kLeave), false, max_bytes);
  });
  return envelope;
}

// "" when neither the JVM nor a Python process has seen the task.
std::string Agent::Profile(const Application& application, const JvmFigures& figures, const FoundSessions& python, bool final,
                           size_t max_bytes) {
  if (figures.key.task_attempt_id < 0 && python.sessions.empty()) return {};
  for (const RefusedBoxes::Named& box : python.refused.named) shortcomings_.Add("a Python process in " + box.path, box.why);
  TaskProfileInputs inputs;
  inputs.jvm = figures;
  inputs.sessions = python.sessions;
  inputs.unreadable_sessions = python.unreadable;
  inputs.names = &names_;
  inputs.executor_id = application.request.executor_id;
  std::error_code gone;
  inputs.working_directory = std::filesystem::current_path(gone).string();
  inputs.withheld = application.options.source == Source::kNone;
  inputs.sequence = sequence_.fetch_add(1) + 1;
  inputs.heap_interval_bytes = jvm_.can_sample_heap() ? heap_.interval() : 0;
  inputs.final = final;
  if (jvm_.can_see_pauses() && figures.key.task_attempt_id >= 0) inputs.gc_stopped_ns = pauses_.total_ns() - figures.stopped_before_ns;
  inputs.taken_ms = EpochMs();
  const proto::ExecutorSnapshot executor = watcher_.Snapshot();
  inputs.executor = &executor;
  inputs.max_bytes = max_bytes == 0 ? application.options.task_max_bytes : max_bytes;
  BuiltProfile built = BuildTaskProfile(inputs);
  namer_.Want(built.unnamed);
  source_reader_.Want(built.user_lines);
  return std::move(built.envelope);
}

void Agent::SparkMemory(const SparkMemoryUse& use) noexcept {
  Guarded([&] { watcher_.SetSparkMemory(use); });
}

void Agent::SparkPool(const proto::PoolUse& pool) noexcept {
  Guarded([&] {
    watcher_.SetSparkPool(pool);
    for (const int64_t task : tasks_.Running()) {
      tasks_.WithTask(tasks_.Find(task), [&](TaskFigures& figures) { figures.spark.NotePool(pool); });
    }
  });
}

void Agent::TaskConsumers(int64_t task_attempt_id, const std::vector<ConsumerUse>& consumers) noexcept {
  Guarded([&] { tasks_.WithTask(tasks_.Find(task_attempt_id), [&](TaskFigures& task) { task.spark.Sample(consumers); }); });
}

void Agent::TaskMetrics(int64_t task_attempt_id, const SparkTaskMetrics& metrics) noexcept {
  Guarded([&] { tasks_.WithTask(tasks_.Find(task_attempt_id), [&](TaskFigures& task) { task.spark.SetMetrics(metrics); }); });
}

std::string Agent::TakeMessage(int64_t timeout_ms) noexcept {
  std::string envelope;
  Guarded([&] { envelope = messages_.Take(std::chrono::milliseconds(std::max<int64_t>(0, timeout_ms))).value_or(""); });
  return envelope;
}

void Agent::ReturnMessage(std::string envelope) noexcept {
  Guarded([&] { messages_.PutBack(std::move(envelope)); });
}

void Agent::Collectors(std::vector<std::string> names, const std::string& why) noexcept {
  Guarded([&] {
    markings_.Begin(std::move(names));
    const std::string never = why.empty() ? markings_.WhyNever() : why;
    if (!never.empty()) shortcomings_.Add("what the heap retains", never);
  });
}

void Agent::CollectionEnded(const Collection& collection) noexcept {
  Guarded([&] {
    if (!running_.load(std::memory_order_relaxed)) return;
    collectors_.Ended(collection);
    if (const std::optional<Marking> marking = markings_.Ended(collection)) sweeper_.Marked(*marking);
    if (nearly_full_.Ended(collection, MonotonicNs())) sweeper_.WantLook();
  });
}

void Agent::OnPause(bool begins) noexcept {
  if (begins) {
    pauses_.Began(MonotonicNs());
  } else {
    pauses_.Ended(MonotonicNs());
  }
}

void Agent::OnHeapSample(JNIEnv* jni, jthread thread, jobject object, uint64_t size) noexcept {
  Guarded([&] {
    if (running_.load(std::memory_order_relaxed)) heap_.Sampled(jvm_.jvmti(), jni, thread, object, size);
  });
}

void Agent::OnThreadStarting(jthread thread) noexcept {
  const TaskTag task = CurrentTask();
  if (running_.load(std::memory_order_relaxed) && tasks_.IsRunning(task)) jvm_.jvmti()->SetTag(thread, ToObjectTag(task));
}

void Agent::OnThreadStart(jthread thread) noexcept {
  jlong tag = 0;
  if (jvm_.jvmti()->GetTag(thread, &tag) != JVMTI_ERROR_NONE || tag == 0) return;
  jvm_.jvmti()->SetTag(thread, 0);
  SetCurrentTask(FromObjectTag(tag));
}

void Agent::OnOffHeapAllocated(JNIEnv* jni, uint64_t address, uint64_t size) noexcept {
  if (!follows_offheap_.load(std::memory_order_relaxed)) return;
  Guarded([&] { offheap_.Allocated(jvm_.jvmti(), jni, address, size); });
}

void Agent::OnOffHeapFreeing(uint64_t address) noexcept {
  Guarded([&] { offheap_.Freeing(address); });
}

std::optional<OffHeapBlock> Agent::OnOffHeapResizing(uint64_t old_address) noexcept {
  std::optional<OffHeapBlock> block;
  Guarded([&] { block = offheap_.Detach(old_address); });
  return block;
}

void Agent::OnOffHeapResized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address,
                             uint64_t size) noexcept {
  Guarded([&] {
    if (address == 0) {
      if (old_block) offheap_.Reattach(old_address, *old_block);
      return;
    }
    if (old_block) offheap_.Release(*old_block);
    if (follows_offheap_.load(std::memory_order_relaxed)) offheap_.Allocated(jvm_.jvmti(), jni, address, size);
  });
}

void Agent::OnOffHeapFilled(uint64_t begin, uint64_t end) noexcept {
  Guarded([&] { offheap_.Filled(begin, end); });
}

void Agent::OnVmInit() noexcept {
  Guarded([&] {
    jvm_.SetBindEvents(false);
    if (jvm_.can_see_binding()) NoteUnboundNatives(&shortcomings_);
  });
}

void Agent::OnVmDeath() noexcept { Stop(); }

}  // namespace memprof
