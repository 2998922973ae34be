// Agent: what it makes of an OutOfMemoryError of the heap, on the thread that ran out. Nothing here allocates in the heap.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string_view>
#include <thread>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/valid_utf8.h"
#include "profile/words_file.h"
#include "shortage/last_words.h"
#include "stacks/class_names.h"
#include "tasks/thread_task.h"

namespace memprof {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestLook{2000};  // with the world stopped
// The heap that an error finds full is often being looked at for being nearly full.
constexpr milliseconds kPatience = kLongestLook;
constexpr milliseconds kMostForSending{1000}, kOnTheWay{100};

// The JVM exits by the same code when its space for classes is full.
bool DefinesClass(const JavaStacks& stacks, StackId stack) {
  constexpr std::string_view kDefiners[] = {"java.lang.ClassLoader.defineClass", "jdk.internal.misc.Unsafe.defineClass",
                                            "java.lang.ClassLoader.findBootstrapClass"};
  const std::vector<const JavaFrame*> frames = stacks.Frames(stack);
  return !frames.empty() && std::any_of(std::begin(kDefiners), std::end(kDefiners),
                                        [&](std::string_view name) { return frames.back()->function.starts_with(name); });
}

std::string ThreadName(jvmtiEnv* jvmti, JNIEnv* jni) {
  jvmtiThreadInfo info = {};
  if (jvmti->GetThreadInfo(nullptr, &info) != JVMTI_ERROR_NONE) return {};
  std::string name = info.name == nullptr ? std::string() : NormalizedThreadName(info.name);
  if (info.name != nullptr) jvmti->Deallocate(reinterpret_cast<unsigned char*>(info.name));
  if (info.thread_group != nullptr) jni->DeleteLocalRef(info.thread_group);
  if (info.context_class_loader != nullptr) jni->DeleteLocalRef(info.context_class_loader);
  return name;
}

void AddRegion(const char* name, uint64_t bytes, proto::HeapShortage* message) {
  proto::Row* row = message->add_regions();
  row->set_name(name);
  row->set_bytes(bytes);
}

}  // namespace

ShortageInputs Agent::ShortageOnThisThread(JNIEnv* jni) {
  ShortageInputs inputs;
  inputs.time_ms = EpochMs();
  inputs.jvm_pid = getpid();
  inputs.errors = shortages_.errors();
  tasks_.WithTask(CurrentTask(), [&](TaskFigures& task) { inputs.task = task.key; });
  inputs.thread = ThreadName(jvm_.jvmti(), jni);
  CapturedStack stack;
  CaptureStack(jvm_.jvmti(), nullptr, &stack);
  if (stack.depth == 0) return inputs;
  inputs.stacks = stacks_.Current();
  inputs.stack = inputs.stacks->Intern(jvm_.jvmti(), jni, stack);
  return inputs;
}

void Agent::LookAtHeap(JNIEnv* jni, const Application& application, milliseconds patience, ShortageInputs* inputs) {
  const std::unique_lock lock(heap_look_, patience);
  if (!application.options.heap_looks || !lock.owns_lock() || jvm_.heap_looks() == nullptr) return;
  inputs->histogram = TakeClassHistogram(jvm_.heap_looks(), jni, kMaxHeapClasses, kLongestLook);
}

void Agent::LookAtRetained(JNIEnv* jni, ShortageInputs* inputs) {
  if (!jvm_.can_sample_heap()) return;
  const SparkMemoryUse said = watcher_.SparkMemory();
  const bool counted = inputs->histogram && !inputs->histogram->cut_short;
  Marking marking = markings_.BeforeError();
  marking.heap_used_bytes = counted ? inputs->histogram->total_bytes : said.heap_used;
  marking.heap_max_bytes = said.heap_max;
  if (marking.older_than_ns != 0) inputs->retained = sweeper_.Look(jni, marking);
}

std::string Agent::ShortageEnvelope(const Application& application, const ShortageInputs& inputs) {
  proto::Envelope envelope;
  envelope.set_schema_version(1);
  envelope.set_executor_id(ValidUtf8(application.request.executor_id));
  proto::HeapShortage& shortage = *envelope.mutable_heap_shortage() = BuildShortage(inputs);
  const SparkMemoryUse said = watcher_.SparkMemory();
  if (said.heap_max != 0) {  // it has said something
    AddRegion("heap.max", said.heap_max, &shortage);
    AddRegion("heap.used", said.heap_used, &shortage);
    AddRegion("heap.storage", said.storage, &shortage);
    AddRegion("heap.execution", said.execution, &shortage);
  }
  return envelope.SerializeAsString();
}

void Agent::OnHeapExhausted(JNIEnv* jni, const char* error) noexcept {
  try {
    const ApplicationRef application = Running();
    if (application == nullptr) return;
    int64_t task = -1;
    tasks_.WithTask(CurrentTask(), [&](TaskFigures& figures) { task = figures.key.task_attempt_id; });
    const ShortageLimits::Worth worth = shortages_.Met(task, MonotonicNs());
    if (worth == ShortageLimits::Worth::kCounting) return;
    ShortageInputs inputs = ShortageOnThisThread(jni);
    inputs.error = error == nullptr ? "" : error;
    if (worth == ShortageLimits::Worth::kLooking) {
      messages_.Put(ShortageEnvelope(*application, inputs));  // another thread's error may end the JVM meanwhile
      LookAtHeap(jni, *application, kPatience, &inputs);
    }
    LookAtRetained(jni, &inputs);
    messages_.Put(ShortageEnvelope(*application, inputs));
    SendRunningTasks();  // none may have the time for another word
  } catch (const std::exception&) {
  }
}

// In the order in which it is worth most: what is known already is told and in the file before the heap is looked at.
void Agent::OnHeapExhaustedExit(JNIEnv* jni) noexcept {
  try {
    const ApplicationRef application = Running();
    if (application == nullptr) return;
    shortages_.Met(-1, MonotonicNs());
    ShortageInputs inputs = ShortageOnThisThread(jni);
    if (inputs.stacks != nullptr && DefinesClass(*inputs.stacks, inputs.stack)) return;
    inputs.ends_jvm = true;
    const std::string& folder = application->request.box_directory;
    const auto leave = [&](const std::vector<std::string>& words) {
      if (!folder.empty()) static_cast<void>(WriteWords(folder, getpid(), words));  // the driver may hear of it all the same
      TellLastWords(application->request.executor_id, words);
    };
    std::vector<std::string> words = {ShortageEnvelope(*application, inputs)};
    leave(words);
    LookAtHeap(jni, *application, kPatience, &inputs);
    LookAtRetained(jni, &inputs);
    words = {ShortageEnvelope(*application, inputs)};
    for (std::string& task : RunningTasks()) words.push_back(std::move(task));
    leave(words);
    for (std::string& word : words) messages_.Put(std::move(word));
    if (messages_.WaitUntilTaken(kMostForSending)) std::this_thread::sleep_for(kOnTheWay);
  } catch (const std::exception&) {
  }
}

// After collections that left most of the heap in use; on the sweeper's thread.
void Agent::TellNearlyFull(JNIEnv* jni, const Application& application, const std::optional<proto::RetainedHeap>& retained) {
  if (!application.options.heap_looks) return;
  ShortageInputs inputs;
  inputs.time_ms = EpochMs();
  inputs.jvm_pid = getpid();
  inputs.errors = shortages_.errors();
  inputs.nearly_full = true;
  inputs.retained = retained;
  LookAtHeap(jni, application, milliseconds{0}, &inputs);
  if (inputs.histogram) messages_.Put(ShortageEnvelope(application, inputs));
}

// Of another executor on the same host.
void Agent::SendWordsOfTheDead(const Application& application) {
  if (application.request.box_directory.empty()) return;
  FoundWords found = TakeWordsOfTheDead(application.request.box_directory);
  for (std::string& envelope : found.envelopes) messages_.Put(std::move(envelope));
}

}  // namespace memprof
