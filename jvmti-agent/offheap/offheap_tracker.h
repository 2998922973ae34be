// OffHeapTracker: handles calls of Unsafe.allocateMemory, reallocateMemory and freeMemory: direct buffers, Spark's off-heap
// pages, Netty, Arrow-Java. Blocks of at least 4 intervals are counted exactly, smaller ones sampled
// (sampling/poisson_sampler.h).
//
// Sizes: Unsafe rounds a request up to whole 8-byte words before it reaches its native function. A direct buffer is zeroed
// directly after its allocation, with the size that was really requested; Filled() then subtracts the rounding.
//
// All functions run on Java threads inside a native method, so JVMTI may be asked for the stack. Thread-safe.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "offheap/block_tracker.h"

namespace memprof {

class OffHeapTracker {
 public:
  explicit OffHeapTracker(BlockTracker* blocks) : blocks_(blocks) {}

  // Every thread begins anew with this interval.
  void Start(uint64_t interval_bytes);

  // After a block was obtained.
  void Allocated(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t address, uint64_t size);
  // [begin, end) was filled by this thread.
  void Filled(uint64_t begin, uint64_t end);

 private:
  BlockTracker* blocks_;
  std::atomic<uint64_t> interval_{512u << 10};
  std::atomic<uint32_t> starts_{0};
};

}  // namespace memprof
