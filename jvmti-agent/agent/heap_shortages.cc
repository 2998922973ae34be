#include "agent/heap_shortages.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "profile/rss_message.h"
#include "shortage/last_words.h"
#include "stacks/thread_name.h"
#include "tasks/task_in_name.h"
#include "tasks/thread_task.h"
#include "tasks/unnamed_threads.h"

namespace memprof {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestLook{2000};  // with the world stopped
// When an error occurs, another thread is often walking the heap already because it is nearly full.
constexpr milliseconds kPatience = kLongestLook;
constexpr int64_t kJustNowNs = 250'000'000;  // others may have allocated since
constexpr milliseconds kMostForSending{1000}, kOnTheWay{100};

// The JVM exits with the same code when its space for classes is full.
bool DefinesClass(const JvmStacks& stacks, JvmStackId stack) {
  constexpr std::string_view kDefiners[] = {"java.lang.ClassLoader.defineClass", "jdk.internal.misc.Unsafe.defineClass",
                                            "java.lang.ClassLoader.findBootstrapClass"};
  const std::vector<const JvmFrame*> frames = stacks.Frames(stack);
  return !frames.empty() && std::any_of(std::begin(kDefiners), std::end(kDefiners),
                                        [&](std::string_view name) { return frames.back()->function.starts_with(name); });
}

// A driver's last words go to its store, in the same process. If it lives on, nobody would read its file.
WordsPlace PlaceOf(const Application& application, bool ends) {
  const bool leaves = ends || application.request.executor_id != "driver";
  return {leaves ? application.request.box_directory : "", application.request.application_id, getpid(), application.options.patience};
}

}  // namespace

// By its time an error is told from others of threads without a task.
int64_t HeapShortages::TimeOfError() {
  int64_t last = last_error_ms_, now;
  do {
    now = std::max(EpochMs(), last + 1);
  } while (!last_error_ms_.compare_exchange_weak(last, now));
  return now;
}

ShortageInputs HeapShortages::OnThisThread(JNIEnv* jni) {
  ShortageInputs inputs;
  inputs.time_ms = TimeOfError();
  inputs.jvm_pid = getpid();
  inputs.errors = limits_.errors();
  inputs.used_after_gc = heap_->collectors().UsedAfter();
  ground_->tasks.WithTask(CurrentTask(), [&](TaskFigures& task) { inputs.task = task.key; });
  inputs.thread = NameOfThisThread(ground_->jvm.jvmti(), jni);
  if (inputs.task.task_attempt_id < 0) {
    if (const auto task = TaskInThreadName(WholeThreadName(ground_->jvm.jvmti(), jni, nullptr))) inputs.task = *task;
  }
  CapturedStack stack;
  CaptureStack(ground_->jvm.jvmti(), nullptr, &stack);
  if (stack.depth == 0) return inputs;
  inputs.stacks = ground_->stacks.Current();
  inputs.stack = inputs.stacks->Intern(ground_->jvm.jvmti(), jni, stack);
  return inputs;
}

// Before it throws, a JVM collects the whole heap. It does not for an array that is longer than any may be, but then it says that it is
// not the heap that ran out (PoolExhausted).
std::optional<uint64_t> HeapShortages::UsedAtError() const {
  const uint64_t pauses = ground_->pauses.count();
  const std::vector<Pause> last = ground_->pauses.Since(pauses == 0 ? 0 : pauses - 1);
  const bool collected = !last.empty() && MonotonicNs() - last.back().end_ns < kJustNowNs;
  return collected ? in_use_.Read() : std::nullopt;
}

void HeapShortages::LookAtHeap(JNIEnv* jni, const Application& application, milliseconds patience, ShortageInputs* inputs) {
  const std::unique_lock lock(look_, patience);
  if (application.options.heap_looks == HeapLooks::kNever || !lock.owns_lock() || ground_->jvm.heap_looks() == nullptr) return;
  inputs->histogram = TakeClassHistogram(ground_->jvm.heap_looks(), jni, kMaxHeapClasses, kLongestLook);
}

// What is retained comes first, where it is known how much was in use: until the JVM stops for the walk of its whole heap, other threads
// may meet errors and let go of what filled it.
void HeapShortages::Look(JNIEnv* jni, const Application& application, std::optional<uint64_t> used, bool whole_heap,
                         ShortageInputs* inputs) {
  const uint64_t max = ground_->watcher.news().SparkMemory().heap_max;
  if (used) inputs->retained = heap_->RetainedAtError(jni, *used, max);
  if (whole_heap) LookAtHeap(jni, application, kPatience, inputs);
  if (inputs->retained) return;
  const bool counted = inputs->histogram && !inputs->histogram->cut_short;
  const std::optional<uint64_t> later = counted ? inputs->histogram->total_bytes : inputs->used_after_gc;
  if (later) inputs->retained = heap_->RetainedAtError(jni, *later, max);
}

std::string HeapShortages::EnvelopeWith(const Application& application, const ShortageInputs& inputs) {
  proto::Envelope envelope = EnvelopeOf(application.request.executor_id);
  proto::HeapShortage& shortage = *envelope.mutable_heap_shortage() = BuildShortage(inputs);
  const SparkMemoryUse said = ground_->watcher.news().SparkMemory();
  if (said.heap_max != 0) {  // 0: nothing reported yet
    AddNamedBytes("heap.max", said.heap_max, shortage.mutable_regions());
    if (inputs.used_after_gc) AddNamedBytes("heap.usedAfterGc", *inputs.used_after_gc, shortage.mutable_regions());
    AddNamedBytes("heap.storage", said.storage, shortage.mutable_regions());
    if (said.unroll.value_or(0) != 0) AddNamedBytes("storage.unroll", *said.unroll, shortage.mutable_regions());
    AddNamedBytes("heap.execution", said.execution, shortage.mutable_regions());
  }
  return envelope.SerializeAsString();
}

int64_t HeapShortages::TaskOfThisThread() {
  int64_t task = -1;
  ground_->tasks.WithTask(CurrentTask(), [&](TaskFigures& figures) { task = figures.key.task_attempt_id; });
  return task;
}

// `used`: nothing, where it isn't known.
bool HeapShortages::IsFull(std::optional<uint64_t> used) const {
  return !used || *used >= ground_->watcher.news().SparkMemory().heap_max / 2;
}

void HeapShortages::Exhausted(JNIEnv* jni, const char* error) {
  const CallsInFlight::Call report(&reports_);
  const ApplicationRef application = ground_->application.Get();
  if (application == nullptr) return;
  ground_->left_words.Met(LeftWords::Clock::now());
  const int64_t task = TaskOfThisThread();
  const bool of_jvm = task < 0 && IsJvmsOwnThread(ground_->jvm.jvmti(), jni);
  if (!(of_jvm ? limits_.MetByJvm(MonotonicNs()) : limits_.Met(task, MonotonicNs()))) return;
  // First of all: meanwhile other threads may fail, too, and let go of what filled the heap.
  const std::optional<uint64_t> used = UsedAtError();
  ShortageInputs inputs = OnThisThread(jni);
  inputs.error = error == nullptr ? "" : error;
  inputs.of_jvm = of_jvm;
  if (used) inputs.used_after_gc = used;
  Tell(*application, inputs);  // before the walk: another thread's error may end the JVM meanwhile
  const bool looks = !of_jvm && limits_.Looks(IsFull(used), MonotonicNs());
  Look(jni, *application, used, looks, &inputs);
  Tell(*application, inputs);
  ground_->stacks.NamePending(ground_->jvm.jvmti(), jni);
  std::vector<std::string> tasks = tasks_->Snapshots();  // there may be no time for another message
  for (const std::string& profile : tasks) ground_->messages.Put(profile);
  ground_->left_words.LeaveTasks(PlaceOf(*application, false), std::move(tasks));
}

void HeapShortages::PoolExhausted(JNIEnv* jni, const char* error) {
  const CallsInFlight::Call report(&reports_);
  const ApplicationRef application = ground_->application.Get();
  if (application == nullptr || error == nullptr) return;
  if (!pool_limits_.Met(TaskOfThisThread(), MonotonicNs())) return;
  ShortageInputs inputs = OnThisThread(jni);
  inputs.errors = pool_limits_.errors();
  inputs.error = error;
  ground_->messages.Put(EnvelopeWith(*application, inputs));
}

void HeapShortages::Tell(const Application& application, const ShortageInputs& inputs) {
  std::string envelope = EnvelopeWith(application, inputs);
  ground_->messages.Put(envelope);
  ground_->left_words.Leave(PlaceOf(application, false),
                            {inputs.time_ms, inputs.task.task_attempt_id, std::move(envelope), inputs.nearly_full || inputs.of_jvm});
}

void HeapShortages::Stop(const Application& application) {
  ground_->left_words.Forget(PlaceOf(application, false), LeftWords::Clock::now());
}

// The most valuable comes first: what is known already is reported and in the file before the heap is walked.
void HeapShortages::ExhaustedExit(JNIEnv* jni) {
  const ApplicationRef application = ground_->application.Get();
  if (application == nullptr) return;
  limits_.Met(-1, MonotonicNs());
  ShortageInputs inputs = OnThisThread(jni);
  if (inputs.stacks != nullptr && DefinesClass(*inputs.stacks, inputs.stack)) return;
  inputs.ends_jvm = true;
  const auto leave = [&](const std::vector<std::string>& words) {
    ground_->left_words.LeaveLast(PlaceOf(*application, true), words);
    TellLastWords(application->request.executor_id, words);
  };
  std::vector<std::string> words = {EnvelopeWith(*application, inputs)};
  leave(words);
  const std::optional<uint64_t> used = UsedAtError();  // after the first words: it may wait for a lock of the heap's
  if (used) inputs.used_after_gc = used;
  Look(jni, *application, used, true, &inputs);
  words = {EnvelopeWith(*application, inputs)};
  ground_->stacks.NamePending(ground_->jvm.jvmti(), jni);
  for (std::string& task : tasks_->Snapshots()) words.push_back(std::move(task));
  leave(words);
  for (std::string& word : words) ground_->messages.Put(std::move(word));
  if (ground_->messages.WaitUntilTaken(kMostForSending * application->options.patience)) std::this_thread::sleep_for(kOnTheWay);
}

bool HeapShortages::NearlyFull(JNIEnv* jni, const Application& application, const std::optional<proto::RetainedHeap>& retained) {
  ShortageInputs inputs;
  inputs.time_ms = TimeOfError();
  inputs.jvm_pid = getpid();
  inputs.errors = limits_.errors();
  inputs.nearly_full = true;
  inputs.used_after_gc = heap_->collectors().UsedAfter();
  inputs.retained = retained;
  if (application.options.heap_looks == HeapLooks::kBeforeErrorsToo) LookAtHeap(jni, application, milliseconds{0}, &inputs);
  if (!inputs.histogram && !inputs.retained) return false;
  Tell(application, inputs);  // it may be killed before the message has left
  return true;
}

}  // namespace memprof
