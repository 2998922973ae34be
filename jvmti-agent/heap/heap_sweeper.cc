#include "heap/heap_sweeper.h"

#include <utility>

#include "base/clock.h"

namespace memprof {
namespace {

constexpr double kNearFull = 0.9;  // of the heap's maximum, after a marking: the next message may be the last
constexpr std::chrono::milliseconds kTick{1000};

// Attaches the current thread to the JVM as long as this object lives. Stop() may be called on a thread that is attached already.
class Attached {
 public:
  Attached() = default;
  ~Attached() {
    if (vm_ != nullptr) vm_->DetachCurrentThread();
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  // Null if the JVM has no room for another thread.
  JNIEnv* Jni(JavaVM* vm) {
    JavaVMAttachArgs arguments = {JNI_VERSION_1_8, const_cast<char*>("memprof-heap"), nullptr};
    void* jni = nullptr;
    if (vm == nullptr) return nullptr;
    if (vm->GetEnv(&jni, JNI_VERSION_1_8) == JNI_EDETACHED && vm->AttachCurrentThreadAsDaemon(&jni, &arguments) == JNI_OK) vm_ = vm;
    return static_cast<JNIEnv*>(jni);
  }

 private:
  JavaVM* vm_ = nullptr;  // null: this thread need not be detached
};

thread_local Attached attached;

bool NearFull(const proto::RetainedHeap& heap) {
  return heap.has_heap_max_bytes() &&
         static_cast<double>(heap.heap_used_after_bytes()) >= kNearFull * static_cast<double>(heap.heap_max_bytes());
}

}  // namespace

Status HeapSweeper::Start(HeapSweeperOptions options) {
  options_ = std::move(options);
  {
    const std::lock_guard lock(mutex_);
    marking_.reset();
    look_wanted_ = false;
  }
  unsent_.reset();
  latest_.reset();
  look_again_ = false;
  sent_at_ = {};
  purged_after_ = pauses_->count();
  return thread_.Start("memprof-heap", 0, [this] { return Round(); });
}

void HeapSweeper::Stop() {
  thread_.Stop();
  Round();  // for a marking that came in the last moment
  if (unsent_) SendIfDue(std::chrono::milliseconds(0));
}

void HeapSweeper::Marked(const Marking& marking) {
  {
    const std::lock_guard lock(mutex_);
    marking_ = marking;  // a later marking replaces an earlier one
  }
  thread_.Wake();
}

void HeapSweeper::WantLook() {
  {
    const std::lock_guard lock(mutex_);
    look_wanted_ = true;
  }
  thread_.Wake();
}

std::chrono::milliseconds HeapSweeper::Round() {
  JNIEnv* jni = attached.Jni(options_.vm);
  if (jni == nullptr) return kTick;  // the marking is kept until there is room
  std::optional<Marking> marking;
  bool look = false;
  {
    const std::lock_guard lock(mutex_);
    marking = std::exchange(marking_, std::nullopt);
    look = look_wanted_ || (marking && look_again_);
    look_wanted_ = false;
  }
  const uint64_t pauses = pauses_->count();
  if (marking || (live_->WantsPurge() && pauses != purged_after_)) {
    purged_after_ = pauses;
    Walk(marking, jni);
  }
  if (look) look_again_ = !options_.look(jni, latest_);
  if (unsent_) SendIfDue(NearFull(*unsent_) ? kPauseNearFull : kPause);
  return kTick;
}

void HeapSweeper::Walk(const std::optional<Marking>& marking, JNIEnv* jni) {
  if (!marking) {
    JniWeakReferences references(jni);
    live_->Purge(references);
    live_->MoveStacks(options_.current_stacks());
    return;
  }
  if (std::optional<proto::RetainedHeap> retained = Look(jni, *marking)) unsent_ = latest_ = *std::move(retained);
}

std::optional<proto::RetainedHeap> HeapSweeper::Look(JNIEnv* jni, const Marking& marking) const {
  JniWeakReferences references(jni);
  live_->MoveStacks(options_.current_stacks());
  std::optional<std::vector<RetainedSite>> sites = live_->Retained(marking, references);
  if (!sites) return std::nullopt;
  RetainedInputs inputs;
  inputs.marking = marking;
  inputs.time_ms = EpochMs() - (MonotonicNs() - marking.end_ns) / 1'000'000;
  inputs.interval_bytes = live_->interval();
  inputs.sites = *std::move(sites);
  inputs.thread_name = options_.thread_name;
  return BuildRetained(inputs);
}

void HeapSweeper::SendIfDue(std::chrono::milliseconds pause) {
  if (Clock::now() - sent_at_ < pause) return;
  proto::RetainedHeap message = *std::move(unsent_);
  unsent_.reset();
  options_.send(std::move(message));
  sent_at_ = Clock::now();
}

}  // namespace memprof
