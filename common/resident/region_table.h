// RegionTable: parts of this process's address space and what they are used for, where no followed block shows it: Python's
// arenas, address space that a library's own allocator has reserved, and memory from before profiling began. Regions are disjoint
// and in order of address; neighbours of one kind and label are joined.
//
// Fixed memory, all zero at first, so that a static one costs no file and no page until it is used. Regions that don't fit are
// counted and unknown. Everything is HOOK: allocates nothing; its lock is a futex that is held briefly, while memory is moved.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/futex_mutex.h"

namespace memprof {

enum class RegionKind : uint8_t {
  kArena,   // pymalloc's
  kPool,    // reserved by a library: its allocator's pool. The label is the library's path.
  kBefore,  // anonymous memory from before profiling began
  kShared,  // an anonymous mapping that is shared with other processes: the kernel counts it as shared memory
};

class RegionTable {
 public:
  static constexpr size_t kMost = 1024;

  struct Region {
    uintptr_t begin, end;
    const char* label;  // not NUL-terminated, kept by the caller for good; may be null
    uint32_t label_size;
    RegionKind kind;
  };

  // Parts of [begin, end) that are already in a region move to this one; kBefore takes only parts that are in no region.
  void Add(uintptr_t begin, uintptr_t end, RegionKind kind, const char* label = nullptr, uint32_t label_size = 0);
  void Remove(uintptr_t begin, uintptr_t end);
  void RemoveAll(RegionKind kind);
  void RemoveOfKind(RegionKind kind, uintptr_t begin, uintptr_t end);

  // Calls visit(const Region&) for each region that overlaps [begin, end), cut to the overlap, in order of address. The lock is held.
  template <typename Visit>
  void ForEachIn(uintptr_t begin, uintptr_t end, Visit&& visit) {
    FutexLock lock(mutex_);
    for (size_t i = FirstBehind(begin); i < count_ && regions_[i].begin < end; ++i) {
      Region part = regions_[i];
      part.begin = std::max(part.begin, begin);
      part.end = std::min(part.end, end);
      visit(static_cast<const Region&>(part));
    }
  }

  // The region that an address is in, or the gap between two.
  struct Span {
    uintptr_t begin = 0, end = 0;
    bool is_kind = false;
    bool Contains(uintptr_t address) const { return address >= begin && address < end; }
  };
  Span Around(uintptr_t address, RegionKind kind) {
    FutexLock lock(mutex_);
    const size_t at = FirstBehind(address);
    const uintptr_t before = at == 0 ? 0 : regions_[at - 1].end;
    if (at == count_) return {before, UINTPTR_MAX, false};
    const Region& behind = regions_[at];
    return behind.begin > address ? Span{before, behind.begin, false} : Span{behind.begin, behind.end, behind.kind == kind};
  }

  bool Empty() const { return visible_count_.load(std::memory_order_relaxed) == 0; }
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  // If another thread was changing the table at the fork, some of it may be wrong in the child. The lock is not held during the
  // fork, because handlers of other code run between ours and may unmap memory.
  void AfterForkInChild() { mutex_.ResetInChild(); }

 private:
  size_t FirstBehind(uintptr_t address) const;  // the first region that ends behind it
  void Insert(const Region& region);
  void Erase(size_t at);
  void Cut(uintptr_t begin, uintptr_t end);

  FutexMutex mutex_;
  Region regions_[kMost] = {};
  size_t count_ = 0;
  std::atomic<size_t> visible_count_{0};
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace memprof
