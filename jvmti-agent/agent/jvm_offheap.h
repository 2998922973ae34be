// JvmOffHeap: blocks of Unsafe, from their allocation until they are freed, and the blocks that ended tasks left behind. Called by the
// wrappers of the JDK's natives (agent/jdk_natives.h). Thread-safe.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/ground.h"
#include "offheap/left_behind.h"
#include "offheap/offheap_tracker.h"

namespace memprof {

class JvmOffHeap {
 public:
  explicit JvmOffHeap(Ground* ground) : ground_(ground), tracker_(&ground->tasks) {}

  // New blocks are followed from now until Stop(); blocks that are followed already, until they are freed.
  void Start(uint64_t interval_bytes);
  void Stop() { follows_ = false; }
  void Forget() { left_behind_.Clear(); }

  void Allocated(JNIEnv* jni, uint64_t address, uint64_t size);
  void Freeing(uint64_t address) { tracker_.Freeing(address); }
  std::optional<OffHeapBlock> Resizing(uint64_t old_address) { return tracker_.Detach(old_address); }
  // `address` 0: it failed.
  void Resized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address, uint64_t size);
  void Filled(uint64_t begin, uint64_t end) { tracker_.Filled(begin, end); }

  void TaskEnded(TaskTag tag, const TaskFigures& task) { left_behind_.Keep(tag, task); }
  void SendLeftBehind(const Application& application);  // on the watcher's thread

  uint64_t live_bytes() const { return tracker_.live_bytes(); }
  uint64_t dropped_blocks() const { return tracker_.dropped_blocks(); }
  std::vector<AddressRange> BlocksFrom(uint64_t bytes) const { return tracker_.BlocksFrom(bytes); }

 private:
  Ground* ground_;
  OffHeapTracker tracker_;
  LeftBehind left_behind_{&tracker_.blocks()};
  std::atomic<bool> follows_{false};
  bool said_left_ = false;  // used by the watcher's thread: the last message to the driver had such blocks
};

}  // namespace memprof
