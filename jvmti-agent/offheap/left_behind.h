// LeftBehind: off-heap or native memory of ended tasks, by who allocated it: cached blocks, memory kept by pools, leaks. The blocks
// themselves are followed under their task's tag (offheap_blocks.h); this class keeps the sites.
//
// At most kMostTasks tasks of kMostGenerations generations of stacks, the kMostSites heaviest sites of each. Tasks without blocks are
// dropped first, then the oldest, whose blocks are only summed up. Thread-safe. Allocates; not for GC callbacks.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "offheap/left_site.h"
#include "offheap/offheap_blocks.h"
#include "stacks/jvm_stacks.h"
#include "tasks/task_table.h"

namespace memprof {

class LeftBehind {
 public:
  static constexpr size_t kMostTasks = 1024, kMostGenerations = 2, kMostSites = 128;  // sites: of a task

  // `sites`: which of a task's tables the blocks are in.
  LeftBehind(const OffHeapBlocks* blocks, OffHeapSites TaskFigures::*sites) : blocks_(blocks), sites_(sites) {}

  // Of a task that has ended, if it holds anything.
  void Keep(TaskTag tag, const TaskFigures& task);
  void Clear();

  // Live memory of tasks that no longer run in `tasks`, in no particular order.
  std::vector<LeftSite> Sites(const TaskTable& tasks) const;

 private:
  struct Ended {
    TaskTag tag;
    std::shared_ptr<const JvmStacks> stacks;
    int32_t stage_id, stage_attempt;
    std::unordered_map<uint32_t, JvmStackId> sites;  // by index, of those that held something
  };

  void MakeRoom();  // caller holds mutex_

  const OffHeapBlocks* blocks_;
  OffHeapSites TaskFigures::*sites_;
  mutable std::mutex mutex_;
  std::deque<Ended> ended_;  // oldest first
};

}  // namespace memprof
