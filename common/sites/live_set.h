// LiveSet: the followed blocks that have not been freed, by address. Open addressing with linear probing in memory given by
// the caller; deletion shifts back. Holds at most 3/4 of its slots. Not thread-safe (the recorder's lock covers it), except
// for the filter in front of it. Callable from hooks.
//
// There are two lists in order of address. One has the page-aligned blocks (mappings), because a range of them can be unmapped at
// once. The other has the large blocks, whose residency is read from time to time. Both lists are bounded; a block without a
// place in them is still followed and found by its start. Where large blocks have no place, all slots are gone through for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sites/address_list.h"
#include "sites/arena.h"
#include "sites/live_filter.h"

namespace memprof {

struct LiveBlock {
  static constexpr uint64_t kUnread = ~uint64_t{0};

  uintptr_t address = 0;        // 0: empty slot
  uint64_t size = 0;            // bytes
  uint64_t weight = 0;          // unbiased bytes it adds to its site's live ones
  uint64_t resident = kUnread;  // the largest reading
  uint64_t first_peak = 0;      // see peak.h
  uint32_t site = 0;
  uint32_t generation : 31 = 0;  // of the site
  uint32_t task : 1 = 0;         // belongs to the task's session, otherwise to the process-level one
};
static_assert(sizeof(LiveBlock) == 48);

inline constexpr uint64_t kLargeBlock = 1u << 20;  // bytes; residency is read from here on

inline bool IsLarge(const LiveBlock& block) { return block.size >= kLargeBlock && block.weight == block.size; }

class LiveSet {
 public:
  static constexpr uintptr_t kPageMask = 4095;

  static void Measure(uint32_t slots, Arena& arena);
  void Attach(uint32_t slots, Arena& arena);

  bool Full() const { return count_ >= limit_; }
  bool MostlyFree() const { return count_ < limit_ / 4; }
  uint32_t count() const { return count_; }
  const LiveFilter& filter() const { return filter_; }

  LiveBlock* Find(uintptr_t address);
  void Prefetch(uintptr_t address) const { __builtin_prefetch(&blocks_[Home(address)], 1); }
  // Not Full(), and the address is not there yet. The pointer holds until the next change of the set.
  LiveBlock* Insert(const LiveBlock& block);
  void Erase(LiveBlock* block);

  uint32_t large_count() const { return large_count_; }
  // Visits the large blocks; the set is not changed.
  template <typename Visit>
  void VisitLarge(Visit visit) {
    if (large_count_ > large_.count()) {
      for (uint32_t at = 0; at < slots_; ++at) {
        if (blocks_[at].address != 0 && IsLarge(blocks_[at])) visit(blocks_[at]);
      }
      return;
    }
    for (uint32_t i = 0; i < large_.count(); ++i) {
      if (LiveBlock* block = Find(large_[i])) visit(*block);
    }
  }

  // Visits each block; keep(block) false erases it. A block may be visited twice when others are erased.
  template <typename Keep>
  void Sweep(Keep keep) {
    for (uint32_t at = 0; at < slots_;) {
      if (blocks_[at].address != 0 && !keep(blocks_[at])) {
        Erase(&blocks_[at]);  // another block may have moved here: look again
      } else {
        ++at;
      }
    }
  }

  // The start of a block that ends after `begin` and starts before `end`, 0 when there is none. Sees the listed page-aligned
  // ones, and one that starts at `begin`.
  uintptr_t MappingIn(uintptr_t begin, uintptr_t end);

 private:
  static constexpr uint32_t kMappings = 4096;
  static constexpr uint32_t kLargeBlocks = 2048;

  uint32_t Home(uintptr_t address) const;
  uint32_t Next(uint32_t at) const { return at + 1 == slots_ ? 0 : at + 1; }

  LiveBlock* blocks_ = nullptr;
  uint32_t slots_ = 0, limit_ = 0, count_ = 0;
  LiveFilter filter_;
  AddressList mappings_, large_;
  uint32_t large_count_ = 0;
};

}  // namespace memprof
