#include "heap/heap_sampler.h"

#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/hash.h"
#include "sampling/estimator.h"
#include "tasks/thread_task.h"

namespace memprof {

// Charges the task that the thread works for; `to_task` stays false when there is none, or it has ended meanwhile.
HeapSampler::Charged HeapSampler::ChargeTask(jvmtiEnv* jvmti, JNIEnv* jni, const CapturedStack& stack, const Amount& amount) {
  const TaskTag tag = CurrentTask();
  Charged charged;
  std::shared_ptr<JvmStacks> stacks;
  bool done = false;
  const auto add = [&](TaskFigures& task, JvmStackId id) {
    const uint32_t site = task.heap.FindOrAdd(stack.hash, id);
    task.heap.At(site) += amount;
    const JvmStackId own = site == HeapSites::kNoSite ? id : task.heap.sites()[site].stack;
    charged = {{task.stacks, own, task.key.stage_id, task.key.stage_attempt, 0}, true};
  };
  const auto add_if_known = [&](TaskFigures& task) {
    done = task.heap.Knows(stack.hash) || !task.heap.HasRoom();
    if (done) {
      add(task, 0);
    } else {
      stacks = task.stacks;
    }
  };
  if (!tasks_->WithTask(tag, add_if_known) || done) return charged;
  const JvmStackId id = stacks->Intern(jvmti, jni, stack);  // the task meets this stack for the first time
  tasks_->WithTask(tag, [&](TaskFigures& task) { add(task, id); });
  return charged;
}

void HeapSampler::Follow(jvmtiEnv* jvmti, JNIEnv* jni, jobject object, uint64_t size, const CapturedStack& stack, ObjectOrigin origin) {
  const bool of_stage = origin.stage_id >= 0;
  const uint64_t place = of_stage ? static_cast<uint64_t>(origin.stage_id) << 16 ^ static_cast<uint64_t>(origin.stage_attempt)
                                  : uint64_t{1} << 63 | origin.bucket;
  const uint64_t key = HashPair(stack.hash, place);
  if (!live_->Knows(key)) {
    if (origin.stacks == nullptr) {
      origin.stacks = stacks_->Current();
      origin.stack = origin.stacks->Intern(jvmti, jni, stack);
    }
    live_->AddSite(key, LargeObjects::MakerOf(stack), std::move(origin));
  }
  JniWeakReferences references(jni);
  live_->Add(object, size, key, MonotonicNs(), references);
}

void HeapSampler::Sampled(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jobject object, uint64_t size) {
  const uint64_t interval = interval_.load(std::memory_order_relaxed);
  Amount amount;
  amount.bytes = interval <= 1 ? static_cast<double>(size) : UnbiasedBytes(size, interval);
  amount.blocks = interval <= 1 ? 1 : UnbiasedBlocks(size, interval);
  amount.variance = VarianceOf(amount.bytes, static_cast<double>(size));

  const bool of_task = tasks_->IsRunning(CurrentTask());
  const bool follow = live_->Keeps(size);
  CapturedStack stack;
  if (of_task || follow) CaptureStack(jvmti, thread, &stack);
  Charged charged;
  if (of_task) charged = ChargeTask(jvmti, jni, stack, amount);
  if (!charged.to_task) {
    charged.origin.bucket = buckets_->OfThisThread(jvmti, jni);
    buckets_->Add(ThreadBuckets::Kind::kHeap, charged.origin.bucket, amount.bytes);
  }
  if (follow) Follow(jvmti, jni, object, size, stack, std::move(charged.origin));
}

}  // namespace memprof
