// JvmOffHeap: blocks of Unsafe, from their allocation until they are freed, and who allocated those that no running task holds. Called by
// the wrappers of the JDK's natives (agent/jdk_natives.h). Thread-safe.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/ground.h"
#include "agent/left_blocks.h"
#include "offheap/block_tracker.h"
#include "offheap/offheap_tracker.h"

namespace memprof {

class JvmOffHeap {
 public:
  JvmOffHeap(Ground* ground, Names* names)
      : ground_(ground),
        blocks_(&TaskFigures::offheap, ThreadBuckets::Kind::kOffHeap, &ground->tasks, &ground->buckets, &ground->stacks),
        left_(ground, names, &blocks_, &TaskFigures::offheap, &proto::Envelope::mutable_left_off_heap) {}

  // New blocks are followed from now until Stop(); blocks that are followed already, until they are freed.
  void Start(uint64_t interval_bytes);
  void Stop() { follows_ = false; }

  void Allocated(JNIEnv* jni, uint64_t address, uint64_t size);
  void Freeing(uint64_t address) { blocks_.Freeing(address); }
  std::optional<OffHeapBlock> Resizing(uint64_t old_address) { return blocks_.Detach(old_address); }
  // `address` 0: it failed.
  void Resized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address, uint64_t size);
  void Filled(uint64_t begin, uint64_t end) { tracker_.Filled(begin, end); }

  LeftBlocks& left() { return left_; }
  uint64_t live_bytes() const { return blocks_.live_bytes(); }
  uint64_t dropped_blocks() const { return blocks_.dropped_blocks(); }
  std::vector<AddressRange> BlocksFrom(uint64_t bytes) const { return blocks_.blocks().Larger(bytes); }

 private:
  Ground* ground_;
  BlockTracker blocks_;
  LeftBlocks left_;
  OffHeapTracker tracker_{&blocks_};
  std::atomic<bool> follows_{false};
};

}  // namespace memprof
