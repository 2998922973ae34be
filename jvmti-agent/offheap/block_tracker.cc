#include "offheap/block_tracker.h"

#include <cmath>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/hash.h"
#include "sampling/estimator.h"
#include "tasks/thread_task.h"

namespace memprof {
namespace {

constexpr int64_t kTidyEveryNs = 1'000'000'000;  // a look at all blocks takes a millisecond

}  // namespace

void BlockTracker::Allocated(const Place& place, uint64_t address, uint64_t size, const SampleWeight& weight) {
  Freeing(address);  // the earlier block at this address was freed unseen
  OffHeapBlock block;
  block.size = size;
  block.amount = {static_cast<double>(weight.bytes), static_cast<double>(weight.blocks),
                  VarianceOf(static_cast<double>(weight.bytes), static_cast<double>(size))};
  const uint64_t stack_hash = place.native == nullptr ? place.java.hash : HashPair(place.java.hash, place.native->hash);
  if (!ChargeTask(place, stack_hash, &block)) ChargeOutside(place, stack_hash, &block);
  AddLive(block.amount.bytes);
  Follow(address, block);
}

// When there is no room, native blocks that no running task holds are dropped: some of them were freed unseen, by libc or by a library
// that is left alone. Blocks of Unsafe never are.
void BlockTracker::Follow(uint64_t address, const OffHeapBlock& block) {
  if (blocks_.Put(address, block)) return;
  const int64_t now_ns = MonotonicNs();
  int64_t before_ns = tidied_ns_.load(std::memory_order_relaxed);
  if (kind_ == ThreadBuckets::Kind::kNative && now_ns - before_ns >= kTidyEveryNs &&
      tidied_ns_.compare_exchange_strong(before_ns, now_ns)) {
    uint64_t erased = 0;
    const double bytes = blocks_.EraseIf([&](const OffHeapBlock& old) { return !tasks_->IsRunning(old.task) && ++erased != 0; });
    AddLive(-bytes);
    dropped_.fetch_add(erased, std::memory_order_relaxed);
    if (blocks_.Put(address, block)) return;
  }
  dropped_.fetch_add(1, std::memory_order_relaxed);
  Release(block);  // a block that can't be followed must not count as live for ever
}

void BlockTracker::Forget() {
  AddLive(-blocks_.EraseIf([](const OffHeapBlock&) { return true; }));
}

void BlockTracker::Reattach(uint64_t address, const OffHeapBlock& block) {
  if (!blocks_.Put(address, block)) Release(block);
}

void BlockTracker::Release(const OffHeapBlock& block) {
  AddLive(-block.amount.bytes);
  tasks_->WithTask(block.task, [&](TaskFigures& task) { (task.*sites_).Freed(block.place, block.amount); });
}

void BlockTracker::Shrink(uint64_t address, uint64_t excess) {
  blocks_.Update(address, [&](OffHeapBlock& block) {
    const auto bytes = static_cast<double>(excess);
    block.size -= excess;
    block.amount.bytes -= bytes;
    AddLive(-bytes);
    if (block.task.slot == 0) buckets_->AddToThisThread(kind_, -bytes);
    tasks_->WithTask(block.task, [&](TaskFigures& task) { (task.*sites_).Shrunk(block.place, bytes); });
  });
}

// False: this thread works for no task, or the task has ended meanwhile.
bool BlockTracker::ChargeTask(const Place& place, uint64_t stack_hash, OffHeapBlock* block) {
  const TaskTag tag = CurrentTask();
  std::shared_ptr<JvmStacks> stacks;  // set when the task meets this stack for the first time
  const auto charge = [&](OffHeapSites& sites, JvmStackId id) {
    block->place = sites.Allocated(stack_hash, id, block->amount);
    block->task = tag;
  };
  const bool runs = tasks_->WithTask(tag, [&](TaskFigures& task) {
    OffHeapSites& sites = task.*sites_;
    if (sites.Knows(stack_hash) || !sites.HasRoom()) {
      charge(sites, 0);
    } else {
      stacks = task.stacks;
    }
  });
  if (stacks == nullptr) return runs;
  const JvmStackId id = stacks->Intern(place.jvmti, place.jni, place.java, place.native);
  return tasks_->WithTask(tag, [&](TaskFigures& task) { charge(task.*sites_, id); });
}

void BlockTracker::ChargeOutside(const Place& place, uint64_t stack_hash, OffHeapBlock* block) {
  const uint32_t bucket = BucketOf(place);
  buckets_->Add(kind_, bucket, block->amount.bytes);
  const uint64_t key = HashPair(stack_hash, bucket);
  uint32_t site = outside_->Find(key);
  if (site == OutsideSites::kNoSite && outside_->HasRoom()) {
    std::shared_ptr<JvmStacks> stacks = stacks_->Current();
    const JvmStackId id = stacks->Intern(place.jvmti, place.jni, place.java, place.native);
    site = outside_->Add(key, {std::move(stacks), id, bucket});
  }
  block->place.site = site;
}

uint32_t BlockTracker::BucketOf(const Place& place) const {
  switch (place.thread) {
    case Thread::kJava:
      return buckets_->OfThisThread(place.jvmti, place.jni);
    case Thread::kJavaNotAsked:
      return buckets_->OfThisThreadIfKnown();
    case Thread::kNative:
      return buckets_->OfThisNativeThread();
  }
  return 0;
}

void BlockTracker::AddLive(double bytes) { live_.fetch_add(std::llround(bytes), std::memory_order_relaxed); }

}  // namespace memprof
