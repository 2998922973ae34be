#include "agent/agent.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "agent/jdk_natives.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/run_within.h"
#include "base/warning.h"
#include "rss/hotspot_layout.h"
#include "shortage/out_of_memory_command.h"
#include "shortage/vm_exit.h"
#include "system/private_file.h"

namespace memprof {
namespace {

// Spark kills an executor ten seconds after it has asked it to end.
constexpr std::chrono::seconds kMostStop{6};
constexpr int kFirstWithoutBias = 17;  // JDK

}  // namespace

Agent& Agent::Get() {
  static Agent* agent = new Agent;
  return *agent;
}

// False when there is nothing (more) to prepare.
bool Agent::TakeOptions(JavaVM* vm, const char* options) {
  vm_ = vm;
  if (ground_.jvm.prepared() || !inert_.empty()) return false;
  const std::vector<Status> bad = ParseAgentPath(options, &path_options_);
  for (const Status& status : bad) Warn(std::string(status.message()) + "; the JVM runs without profiling");
  if (!bad.empty()) inert_ = std::string("agent path: ") + bad.front().message();
  return bad.empty() && path_options_.enabled;
}

void Agent::OnLoad(JavaVM* vm, const char* options) noexcept {
  Guarded([&] {
    const std::lock_guard lock(lifecycle_);
    if (!TakeOptions(vm, options)) return;
    offheap_.Start(path_options_.offheap_interval_bytes);
    const Status status = ground_.jvm.Prepare(vm, Jvm::Phase::kOnLoad, &ground_.shortcomings);
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
    reason = TryStart(jni, request);
  });
  return reason;
}

std::optional<std::string> Agent::TryStart(JNIEnv* jni, const StartRequest& request) {
  if (!inert_.empty()) return inert_;
  if (ground_.application.running()) return std::nullopt;
  AgentOptions options = path_options_;
  for (const std::string& option : request.options) {
    const Status status = ApplyOption(option, &options);
    if (!status.ok()) return std::string("spark.memprof: ") + status.message();
  }
  if (!options.enabled) return "switched off by enabled=false";
  if (vm_ == nullptr) return "the library was not loaded by a JVM";
  Jvm& jvm = ground_.jvm;
  if (!jvm.prepared()) {
    const Status status = jvm.Prepare(vm_, Jvm::Phase::kLive, &ground_.shortcomings);
    if (!status.ok()) return inert_ = status.message();
    RebindJdkNatives(jni, &jvm, &ground_.shortcomings);
  }
  if (!request.box_directory.empty()) {
    const Status status = MakePrivateDirectory(request.box_directory);
    if (!status.ok()) return std::string(status.message()) + "; set spark.memprof.box.dir";
  }
  if (applications_ == 0) ground_.shortcomings.KeepThese();
  ground_.shortcomings.Clear();
  Forget();  // again: a thread of the old application may have begun a task after Stop()
  const auto application = std::make_shared<const Application>(Application{
      ++applications_, request, options, watch_.Reached(), ground_.pauses.total_ns(),
      ReadHotSpotSwitch("ExitOnOutOfMemoryError").value_or(false), IsSigkill(ReadHotSpotText("OnOutOfMemoryError").value_or(""))});
  ground_.messages.Open();
  shortages_.Reset();
  heap_.Start(application, [this, application](JNIEnv* sweeper, const std::optional<proto::RetainedHeap>& retained) {
    return shortages_.NearlyFull(sweeper, *application, retained);
  });
  names_.Start(application);
  watch_.Start(application);
  offheap_.Start(options.offheap_interval_bytes);
  malloc_.Start(jni, options);
  ground_.application.Begin(application);
  tasks_.FindCarriers(jni);
  jvm.SetThreadEvents(true);
  jvm.SetExhaustionEvents(true);
  if (const int version = jvm.version(); version == 0 || version >= kFirstWithoutBias) {
    const Status watched = WatchOutOfMemoryExit(
        vm_, jni, [](JNIEnv* dying) { Agent::Get().OnHeapExhaustedExit(dying); }, options.patience);
    if (!watched.ok()) ground_.shortcomings.Add("last words before ExitOnOutOfMemoryError", watched.message());
  } else {  // docs/decisions/0316
    if (application->exits_on_out_of_memory) {
      ground_.shortcomings.Add("last words before ExitOnOutOfMemoryError", "they take JDK 17 or later");
    }
    ground_.shortcomings.Add("the JVM's heap without a bias",
                             "before JDK 17 the JVM's own samples are too many or too few, by several percent");
  }
  heap_.SetEvents(options.heap_interval_bytes);
  return std::nullopt;
}

void Agent::Stop() noexcept {
  LetOutOfMemoryExitEnd();
  Guarded([&] {
    const std::lock_guard lock(lifecycle_);
    const ApplicationRef application = ground_.application.Get();
    if (application == nullptr) return;
    ground_.jvm.SetExhaustionEvents(false);
    shortages_.AwaitReports(application->options.patience);
    LetOutOfMemoryExitEnd();  // it may have begun meanwhile
    ground_.application.End();
    shortages_.AwaitReports(application->options.patience);  // of events that were under way
    offheap_.Stop();
    malloc_.Stop();
    ground_.jvm.SetThreadEvents(false);
    heap_.Stop();
    // Only this looks at files.
    const auto put_away = [this, application] {
      watch_.Stop(*application);
      shortages_.Stop(*application);
      names_.Stop();  // last: it may take a second, and names what the others have found
    };
    if (!RunWithin(kMostStop * application->options.patience, put_away)) {
      inert_ = "the file system of the black boxes did not answer when the application before ended";
      Warn("the file system of the black boxes does not answer: the last figures of this process are missing");
    }
    Forget();
    ground_.messages.Close();
  });
}

void Agent::Forget() {
  tasks_.Forget();
  offheap_.left().Forget();
  malloc_.Forget();
  ground_.buckets.Clear();
}

void Agent::TaskStarted(const TaskKey& key) noexcept {
  Guarded([&] { tasks_.Started(key); });
}

std::string Agent::TaskClosed(JNIEnv* jni, int64_t task_attempt_id, size_t max_bytes) noexcept {
  return tasks_.Closed(jni, task_attempt_id, max_bytes);
}

std::string Agent::TaskSnapshot(int64_t task_attempt_id, size_t max_bytes) noexcept { return tasks_.Snapshot(task_attempt_id, max_bytes); }

void Agent::NameFrames(JNIEnv* jni) noexcept {
  Guarded([&] { ground_.stacks.NamePending(ground_.jvm.jvmti(), jni); });
}

void Agent::SparkMemory(const SparkMemoryUse& use) noexcept {
  Guarded([&] { ground_.watcher.news().SetSparkMemory(use); });
}

void Agent::SparkPool(const proto::PoolUse& pool) noexcept {
  Guarded([&] {
    ground_.watcher.news().SetSparkPool(pool);
    for (const int64_t task : ground_.tasks.Running()) {
      ground_.tasks.WithTask(ground_.tasks.Find(task), [&](TaskFigures& figures) { figures.spark.NotePool(pool); });
    }
  });
}

void Agent::TaskConsumers(int64_t task_attempt_id, const std::vector<ConsumerUse>& consumers) noexcept {
  Guarded([&] { ground_.tasks.WithTask(ground_.tasks.Find(task_attempt_id), [&](TaskFigures& task) { task.spark.Sample(consumers); }); });
}

void Agent::TaskMetrics(int64_t task_attempt_id, const SparkTaskMetrics& metrics) noexcept {
  Guarded([&] { ground_.tasks.WithTask(ground_.tasks.Find(task_attempt_id), [&](TaskFigures& task) { task.spark.SetMetrics(metrics); }); });
}

std::string Agent::TakeMessage(int64_t timeout_ms) noexcept {
  std::string envelope;
  Guarded([&] { envelope = ground_.messages.Take(std::chrono::milliseconds(std::max<int64_t>(0, timeout_ms))).value_or(""); });
  return envelope;
}

void Agent::ReturnMessage(std::string envelope) noexcept {
  Guarded([&] { ground_.messages.PutBack(std::move(envelope)); });
}

void Agent::Collectors(std::vector<std::string> names, const std::string& why) noexcept {
  Guarded([&] { heap_.SetCollectors(std::move(names), why); });
}

void Agent::CollectionEnded(const Collection& collection) noexcept {
  Guarded([&] {
    if (ground_.application.running()) heap_.CollectionEnded(collection);
  });
}

void Agent::OnPause(bool begins) noexcept {
  if (begins) {
    ground_.pauses.Began(MonotonicNs());
  } else {
    ground_.pauses.Ended(MonotonicNs());
  }
}

void Agent::OnHeapSample(JNIEnv* jni, jthread thread, jobject object, uint64_t size) noexcept {
  Guarded([&] {
    if (ground_.application.running()) heap_.Sampled(jni, thread, object, size);
  });
}

void Agent::OnHeapExhausted(JNIEnv* jni, const char* error) noexcept {
  Guarded([&] { shortages_.Exhausted(jni, error); });
}

void Agent::OnPoolExhausted(JNIEnv* jni, const char* error) noexcept {
  Guarded([&] { shortages_.PoolExhausted(jni, error); });
}

void Agent::OnHeapExhaustedExit(JNIEnv* jni) noexcept {
  Guarded([&] { shortages_.ExhaustedExit(jni); });
}

void Agent::OnThreadStarting(jthread thread) noexcept { tasks_.ThreadStarting(thread); }

void Agent::OnThreadStart(JNIEnv* jni, jthread thread) noexcept {
  Guarded([&] { tasks_.ThreadStart(jni, thread); });
}

void Agent::OnOffHeapAllocated(JNIEnv* jni, uint64_t address, uint64_t size) noexcept {
  Guarded([&] { offheap_.Allocated(jni, address, size); });
}

void Agent::OnOffHeapFreeing(uint64_t address) noexcept {
  Guarded([&] { offheap_.Freeing(address); });
}

std::optional<OffHeapBlock> Agent::OnOffHeapResizing(uint64_t old_address) noexcept {
  std::optional<OffHeapBlock> block;
  Guarded([&] { block = offheap_.Resizing(old_address); });
  return block;
}

void Agent::OnOffHeapResized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address,
                             uint64_t size) noexcept {
  Guarded([&] { offheap_.Resized(jni, old_address, old_block, address, size); });
}

void Agent::OnOffHeapFilled(uint64_t begin, uint64_t end) noexcept {
  Guarded([&] { offheap_.Filled(begin, end); });
}

void Agent::OnNativeBind(JNIEnv* jni, jmethodID method, void* address, void** new_address) noexcept {
  if (ground_.jvm.binds()) OnNativeMethodBind(ground_.jvm.jvmti(), jni, method, address, new_address);
  malloc_.LookForLibraries();
}

void Agent::OnVmInit() noexcept {
  Guarded([&] {
    ground_.jvm.SetBindEvents(false);
    if (ground_.jvm.can_see_binding()) NoteUnboundNatives(&ground_.shortcomings);
  });
}

void Agent::OnVmDeath() noexcept { Stop(); }

}  // namespace memprof
