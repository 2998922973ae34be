#include "offheap/offheap_tracker.h"

#include <cmath>
#include <memory>
#include <utility>

#include "base/hash.h"
#include "sampling/estimator.h"
#include "sampling/poisson_sampler.h"
#include "tasks/thread_task.h"

namespace memprof {
namespace {

constexpr uint64_t kWord = 8;

// The last exactly counted block of this thread, until it has been filled to its end.
struct FreshBlock {
  uint64_t address, size;
};

__attribute__((tls_model("initial-exec"))) thread_local constinit FreshBlock fresh_block{0, 0};
__attribute__((tls_model("initial-exec"))) thread_local PoissonSampler sampler;

}  // namespace

void OffHeapTracker::Allocated(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t address, uint64_t size) {
  if (!sampler.Crosses(size)) return;
  const SampleWeight weight = sampler.Draw(size, interval_.load(std::memory_order_relaxed));
  if (!weight.taken()) return;
  OffHeapBlock block;
  block.size = size;
  block.amount = {static_cast<double>(weight.bytes), static_cast<double>(weight.blocks),
                  VarianceOf(static_cast<double>(weight.bytes), static_cast<double>(size))};
  if (weight.bytes == size) fresh_block = {address, size};
  CapturedStack stack;
  CaptureStack(jvmti, nullptr, &stack);
  if (!ChargeTask(jvmti, jni, stack, &block)) ChargeOutside(jvmti, jni, stack, &block);
  AddLive(block.amount.bytes);
  Freeing(address);                    // the earlier block at this address was freed unseen
  if (!blocks_.Put(address, block)) {  // a block that can't be followed must not count as live for ever
    dropped_.fetch_add(1, std::memory_order_relaxed);
    Release(block);
  }
}

void OffHeapTracker::Freeing(uint64_t address) {
  if (const std::optional<OffHeapBlock> block = Detach(address)) Release(*block);
}

std::optional<OffHeapBlock> OffHeapTracker::Detach(uint64_t address) {
  if (!blocks_.MayContain(address)) return std::nullopt;
  return blocks_.Take(address);
}

void OffHeapTracker::Reattach(uint64_t address, const OffHeapBlock& block) {
  if (!blocks_.Put(address, block)) Release(block);
}

void OffHeapTracker::Release(const OffHeapBlock& block) {
  AddLive(-block.amount.bytes);
  tasks_->WithTask(block.task, [&](TaskFigures& task) { task.offheap.Freed(block.place, block.amount); });
}

void OffHeapTracker::Filled(uint64_t begin, uint64_t end) {
  const uint64_t rounded_end = fresh_block.address + fresh_block.size;
  if (fresh_block.size == 0 || begin < fresh_block.address || end > rounded_end || rounded_end - end >= kWord) return;
  const uint64_t address = fresh_block.address;
  const uint64_t excess = rounded_end - end;
  fresh_block = {0, 0};
  if (excess == 0) return;
  blocks_.Update(address, [&](OffHeapBlock& block) {
    const auto bytes = static_cast<double>(excess);
    block.size -= excess;
    block.amount.bytes -= bytes;
    AddLive(-bytes);
    if (block.task.slot == 0) buckets_->AddToThisThread(ThreadBuckets::Kind::kOffHeap, -bytes);
    tasks_->WithTask(block.task, [&](TaskFigures& task) { task.offheap.Shrunk(block.place, bytes); });
  });
}

// False: this thread works for no task, or the task has ended meanwhile.
bool OffHeapTracker::ChargeTask(jvmtiEnv* jvmti, JNIEnv* jni, const CapturedStack& stack, OffHeapBlock* block) {
  const TaskTag tag = CurrentTask();
  std::shared_ptr<JavaStacks> stacks;  // set when the task meets this stack for the first time
  const auto charge = [&](TaskFigures& task, JavaStackId id) {
    block->place = task.offheap.Allocated(stack.hash, id, block->amount);
    block->task = tag;
  };
  const bool runs = tasks_->WithTask(tag, [&](TaskFigures& task) {
    if (task.offheap.Knows(stack.hash) || !task.offheap.HasRoom()) {
      charge(task, 0);
    } else {
      stacks = task.stacks;
    }
  });
  if (stacks == nullptr) return runs;
  const JavaStackId id = stacks->Intern(jvmti, jni, stack);
  return tasks_->WithTask(tag, [&](TaskFigures& task) { charge(task, id); });
}

void OffHeapTracker::ChargeOutside(jvmtiEnv* jvmti, JNIEnv* jni, const CapturedStack& stack, OffHeapBlock* block) {
  const uint32_t bucket = buckets_->OfThisThread(jvmti, jni);
  buckets_->Add(ThreadBuckets::Kind::kOffHeap, bucket, block->amount.bytes);
  const uint64_t key = HashPair(stack.hash, bucket);
  uint32_t site = outside_.Find(key);
  if (site == OutsideSites::kNoSite && outside_.HasRoom()) {
    std::shared_ptr<JavaStacks> stacks = stacks_->Current();
    const JavaStackId id = stacks->Intern(jvmti, jni, stack);
    site = outside_.Add(key, {std::move(stacks), id, bucket});
  }
  block->place.site = site;
}

void OffHeapTracker::AddLive(double bytes) { live_.fetch_add(std::llround(bytes), std::memory_order_relaxed); }

}  // namespace memprof
