// OutsideSites: who allocated the off-heap or native blocks of no task: a call site within a bucket of threads (tasks/thread_buckets.h).
// The blocks themselves are followed without a task's tag (offheap_blocks.h), each with the number of its site.
//
// At most kMostSites sites; further blocks have none. Sites without blocks make room. Thread-safe: one mutex, never held across JVMTI
// calls. Allocates; not for GC callbacks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "offheap/left_site.h"
#include "offheap/offheap_blocks.h"
#include "stacks/jvm_stacks.h"

namespace memprof {

class OutsideSites {
 public:
  static constexpr size_t kMostSites = 1024;
  static constexpr uint32_t kNoSite = UINT32_MAX;

  struct Origin {
    std::shared_ptr<JvmStacks> stacks;
    JvmStackId stack = 0;
    uint32_t bucket = 0;
  };

  explicit OutsideSites(const OffHeapBlocks* blocks) : blocks_(blocks) {}

  // Of a stack and a bucket, as one key. kNoSite: not known.
  uint32_t Find(uint64_t key);
  bool HasRoom() const;
  uint32_t Add(uint64_t key, Origin origin);  // kNoSite: no room

  // Three quarters of the room are taken, or there are stacks of another generation than `current` to be moved.
  bool WantsTidying(const std::shared_ptr<JvmStacks>& current) const;
  // Live memory of no task, in no particular order. Moves stacks of other generations into `current`, and forgets sites that have held
  // nothing since the call before.
  std::vector<LeftSite> Sites(const std::shared_ptr<JvmStacks>& current, const std::function<std::string(uint32_t)>& thread_name);

 private:
  struct Site {
    uint64_t key;
    Origin origin;
    bool fresh = true;  // found since the last call of Sites(): its block may not be followed yet
  };

  void MoveStacks(const std::shared_ptr<JvmStacks>& current);

  const OffHeapBlocks* blocks_;
  mutable std::mutex mutex_;  // guards the rest
  std::map<uint32_t, Site> sites_;
  std::unordered_map<uint64_t, uint32_t> by_key_;
  uint32_t next_ = 0;  // numbers are not used again: blocks may still have them
};

}  // namespace memprof
