// BlockTracker: memory outside of the heap that somebody has recorded: each block is charged to the task that its thread works for, or to
// the bucket of that thread, and followed until it is freed, by whichever thread.
//
// Thread-safe. No lock is held across JVMTI calls. Allocates; not for GC callbacks.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "offheap/offheap_blocks.h"
#include "offheap/outside_sites.h"
#include "sampling/poisson_sampler.h"
#include "stacks/jvm_stacks.h"
#include "stacks/native_calls.h"
#include "tasks/task_table.h"
#include "tasks/thread_buckets.h"

namespace memprof {

class BlockTracker {
 public:
  // `sites`: which of a task's tables its blocks are in.
  BlockTracker(OffHeapSites TaskFigures::*sites, ThreadBuckets::Kind kind, TaskTable* tasks, ThreadBuckets* buckets,
               StackGenerations* stacks)
      : sites_(sites), kind_(kind), tasks_(tasks), buckets_(buckets), stacks_(stacks) {}

  enum class Thread : uint8_t { kJava, kJavaNotAsked, kNative };  // kNative: a library's own; kJavaNotAsked: JVMTI may not be called

  // Where a block was allocated, by the current thread.
  struct Place {
    jvmtiEnv* jvmti;
    JNIEnv* jni;                // null where JNI must not be called: Java frames get their names later (JvmStacks)
    const CapturedStack& java;  // empty unless the thread is kJava
    Thread thread = Thread::kJava;
    const NativeCalls* native = nullptr;  // below the Java frames
  };

  // Where the call sites of blocks of no task are kept. Before the first block.
  void SetOutside(OutsideSites* outside) { outside_ = outside; }

  // After a block was obtained, and taken as a sample.
  void Allocated(const Place& place, uint64_t address, uint64_t size, const SampleWeight& weight);
  // Before a block is given back.
  void Freeing(uint64_t address) {
    if (const std::optional<OffHeapBlock> block = Detach(address)) Release(*block);
  }
  // Around reallocation: the old block is taken out first, and put back when there is no new one.
  std::optional<OffHeapBlock> Detach(uint64_t address) { return MayFollow(address) ? blocks_.Take(address) : std::nullopt; }
  void Reattach(uint64_t address, const OffHeapBlock& block);
  void Release(const OffHeapBlock& block);
  // A block of this thread's turned out to be `bytes` smaller than said at its allocation.
  void Shrink(uint64_t address, uint64_t bytes);

  // Follows no block any more. What tasks hold is not changed.
  void Forget();

  // False: certainly not followed.
  bool MayFollow(uint64_t address) const { return blocks_.MayContain(address); }
  uint64_t live_bytes() const {
    const int64_t live = live_.load(std::memory_order_relaxed);
    return live < 0 ? 0 : static_cast<uint64_t>(live);
  }
  const OffHeapBlocks& blocks() const { return blocks_; }
  uint64_t dropped_blocks() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  bool ChargeTask(const Place& place, uint64_t stack_hash, OffHeapBlock* block);
  void ChargeOutside(const Place& place, uint64_t stack_hash, OffHeapBlock* block);
  void Follow(uint64_t address, const OffHeapBlock& block);
  uint32_t BucketOf(const Place& place) const;
  void AddLive(double bytes);

  OffHeapSites TaskFigures::*sites_;
  ThreadBuckets::Kind kind_;
  TaskTable* tasks_;
  ThreadBuckets* buckets_;
  StackGenerations* stacks_;
  OffHeapBlocks blocks_;
  OutsideSites* outside_ = nullptr;
  std::atomic<int64_t> live_{0};  // of the process
  std::atomic<uint64_t> dropped_{0};
  std::atomic<int64_t> tidied_ns_{0};
};

}  // namespace memprof
