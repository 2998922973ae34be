// OffHeapTracker: handles calls of Unsafe.allocateMemory, reallocateMemory and freeMemory: direct buffers, Spark's off-heap
// pages, Netty, Arrow-Java. Blocks of at least 4 intervals are counted exactly, smaller ones sampled
// (sampling/poisson_sampler.h); every recorded block is followed until it is freed, by whichever thread.
//
// Sizes: Unsafe rounds a request up to whole 8-byte words before it reaches its native function. A direct buffer is zeroed
// directly after its allocation, with the size that was really requested; Filled() then subtracts the rounding.
//
// All functions run on Java threads inside a native method, so JVMTI may be asked for the stack. Thread-safe.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "offheap/offheap_blocks.h"
#include "offheap/outside_sites.h"
#include "stacks/java_stacks.h"
#include "tasks/task_table.h"
#include "tasks/thread_buckets.h"

namespace memprof {

class OffHeapTracker {
 public:
  OffHeapTracker(TaskTable* tasks, ThreadBuckets* buckets, StackGenerations* stacks) : tasks_(tasks), buckets_(buckets), stacks_(stacks) {}

  void SetInterval(uint64_t bytes) { interval_ = bytes; }

  // After a block was obtained.
  void Allocated(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t address, uint64_t size);
  // Before a block is given back.
  void Freeing(uint64_t address);
  // Around reallocation: the old block is taken out first, and put back when there is no new one.
  std::optional<OffHeapBlock> Detach(uint64_t address);
  void Reattach(uint64_t address, const OffHeapBlock& block);
  void Release(const OffHeapBlock& block);
  // [begin, end) was filled by this thread.
  void Filled(uint64_t begin, uint64_t end);

  uint64_t live_bytes() const {
    const int64_t live = live_.load(std::memory_order_relaxed);
    return live < 0 ? 0 : static_cast<uint64_t>(live);
  }
  // Followed blocks of at least so many bytes, in order of address.
  std::vector<AddressRange> BlocksFrom(uint64_t bytes) const { return blocks_.Larger(bytes); }
  const OffHeapBlocks& blocks() const { return blocks_; }
  OutsideSites& outside() const { return outside_; }
  uint64_t dropped_blocks() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  bool ChargeTask(jvmtiEnv* jvmti, JNIEnv* jni, const CapturedStack& stack, OffHeapBlock* block);
  void ChargeOutside(jvmtiEnv* jvmti, JNIEnv* jni, const CapturedStack& stack, OffHeapBlock* block);
  void AddLive(double bytes);

  TaskTable* tasks_;
  ThreadBuckets* buckets_;
  StackGenerations* stacks_;
  OffHeapBlocks blocks_;
  mutable OutsideSites outside_{&blocks_};  // guards itself
  std::atomic<uint64_t> interval_{512u << 10};
  std::atomic<int64_t> live_{0};  // of the process
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace memprof
