// JvmOffHeap: blocks of Unsafe, from their allocation until they are freed, and who allocated those that no running task holds: tasks
// that have ended, and threads that worked for none. Called by the wrappers of the JDK's natives (agent/jdk_natives.h). Thread-safe.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "agent/ground.h"
#include "offheap/block_tracker.h"
#include "offheap/left_behind.h"
#include "offheap/offheap_tracker.h"
#include "offheap/outside_sites.h"

namespace memprof {

class JvmOffHeap {
 public:
  explicit JvmOffHeap(Ground* ground)
      : ground_(ground), blocks_(&TaskFigures::offheap, ThreadBuckets::Kind::kOffHeap, &ground->tasks, &ground->buckets, &ground->stacks) {
    blocks_.SetOutside(&outside_);
  }

  // New blocks are followed from now until Stop(); blocks that are followed already, until they are freed.
  void Start(uint64_t interval_bytes);
  void Stop() { follows_ = false; }
  void Forget();

  void Allocated(JNIEnv* jni, uint64_t address, uint64_t size);
  void Freeing(uint64_t address) { blocks_.Freeing(address); }
  std::optional<OffHeapBlock> Resizing(uint64_t old_address) { return blocks_.Detach(old_address); }
  // `address` 0: it failed.
  void Resized(JNIEnv* jni, uint64_t old_address, const std::optional<OffHeapBlock>& old_block, uint64_t address, uint64_t size);
  void Filled(uint64_t begin, uint64_t end) { tracker_.Filled(begin, end); }

  void TaskEnded(TaskTag tag, const TaskFigures& task) { left_behind_.Keep(tag, task); }
  // What no running task holds.
  void SendLeft(const Application& application);
  // Likewise, if it is notably more than ever before, or not what was said a while ago; looked at once in kLookEvery, and whenever all
  // blocks together are notably more than at the last look.
  void SendLeftIfMoved(const Application& application);

  uint64_t live_bytes() const { return blocks_.live_bytes(); }
  uint64_t dropped_blocks() const { return blocks_.dropped_blocks(); }
  std::vector<AddressRange> BlocksFrom(uint64_t bytes) const { return blocks_.blocks().Larger(bytes); }

 private:
  using Clock = std::chrono::steady_clock;
  // A look copies all blocks, a millisecond or two. What was said is evidence for a minute (postmortem/).
  static constexpr std::chrono::seconds kLookEvery{5}, kSayMovesEvery{30};

  // With left_mutex_ held:
  std::vector<LeftSite> LeftSites() const;                                                           // heaviest first
  void Send(const Application& application, const std::vector<LeftSite>& sites, int64_t looked_ms);  // before it copied the blocks

  Ground* ground_;
  BlockTracker blocks_;
  OffHeapTracker tracker_{&blocks_};
  LeftBehind left_behind_{&blocks_.blocks()};
  mutable OutsideSites outside_{&blocks_.blocks()};  // guards itself
  std::atomic<bool> follows_{false};
  std::mutex left_mutex_;  // guards the rest
  Clock::time_point looked_at_{}, said_at_{};
  double most_bytes_ = 0, said_bytes_ = 0;  // the largest sum that was sent, and the last one
  double looked_bytes_ = 0;                 // of all blocks, at the last look
};

}  // namespace memprof
