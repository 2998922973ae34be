// LeftBlocks: who allocated the blocks of a BlockTracker that no running task holds: tasks that have ended, and threads that worked for
// none; and when the driver is told. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <vector>

#include "agent/ground.h"
#include "agent/names.h"
#include "offheap/block_tracker.h"
#include "offheap/left_behind.h"
#include "offheap/outside_sites.h"

namespace memprof {

class LeftBlocks {
 public:
  using Sites = OffHeapSites TaskFigures::*;               // which of a task's tables the tracker's blocks are in
  using Part = proto::LeftMemory* (proto::Envelope::*)();  // of the message, which they are told in

  // `names`: asked for those of native frames, once something is sent.
  LeftBlocks(Ground* ground, Names* names, BlockTracker* blocks, Sites sites, Part part)
      : ground_(ground), names_(names), blocks_(blocks), part_(part), left_behind_(&blocks->blocks(), sites), outside_(&blocks->blocks()) {
    blocks->SetOutside(&outside_);
  }

  void TaskEnded(TaskTag tag, const TaskFigures& task) { left_behind_.Keep(tag, task); }
  void Forget();  // of an application that has ended

  // What no running task holds.
  void Send(const Application& application);
  // Likewise, if it is notably more than ever before, or not what was said a while ago; looked at once in kLookEvery, and whenever all
  // blocks together are notably more than at the last look.
  void SendIfMoved(const Application& application);

 private:
  using Clock = std::chrono::steady_clock;
  // A look copies all blocks, a millisecond or two. What was said is evidence for a minute (postmortem/).
  static constexpr std::chrono::seconds kLookEvery{5}, kSayMovesEvery{30}, kAwaitNames{10};

  // With mutex_ held:
  std::vector<LeftSite> Look();                                                                     // heaviest first
  void Say(const Application& application, const std::vector<LeftSite>& sites, int64_t looked_ms);  // before it copied the blocks

  Ground* ground_;
  Names* names_;
  BlockTracker* blocks_;
  Part part_;
  LeftBehind left_behind_;
  OutsideSites outside_;
  std::mutex mutex_;  // guards the rest
  Clock::time_point looked_at_ = Clock::now(), said_at_{};
  double most_bytes_ = 0, said_bytes_ = 0;  // the largest sum that was sent, and the last one
  double looked_bytes_ = 0;                 // of all blocks, at the last look
};

}  // namespace memprof
