// OffHeapBlocks: the blocks outside of the heap, of Unsafe or of malloc, that are followed until they are freed, by address. A counting
// filter in front excludes most other addresses with one load.
//
// At most kMaxBlocks blocks, about 3 MiB; at the default interval that is 12 GB of small blocks. Thread-safe: 64 shards
// with a mutex each. Allocates; not for GC callbacks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/address_range.h"
#include "base/hash.h"
#include "tasks/offheap_sites.h"
#include "tasks/task_table.h"

namespace memprof {

struct OffHeapBlock {
  uint64_t size = 0;          // bytes, as asked for
  Amount amount;              // what it stands for
  TaskTag task{0, 0};         // whose it is; {0, 0} = no task's
  OffHeapSites::Place place;  // of no task's block: its site among the OutsideSites
};

class OffHeapBlocks {
 public:
  static constexpr uint32_t kMaxBlocks = 24u << 10;

  // False when the table is full. An earlier block at this address is replaced.
  bool Put(uint64_t address, const OffHeapBlock& block);
  std::optional<OffHeapBlock> Take(uint64_t address);

  // Changes a block in place: change(OffHeapBlock&). False when the address is not followed.
  template <typename Change>
  bool Update(uint64_t address, Change&& change) {
    Shard& shard = ShardOf(address);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.blocks.find(address);
    if (found == shard.blocks.end()) return false;
    change(found->second);
    return true;
  }

  // visit(address, const OffHeapBlock&), with a shard locked, in no particular order; changes meanwhile may be seen or missed.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      for (const auto& [address, block] : shard.blocks) visit(address, block);
    }
  }

  // Those of which wanted(const OffHeapBlock&) is true.
  template <typename Wanted>
  std::vector<OffHeapBlock> Copies(Wanted&& wanted) const {
    std::vector<OffHeapBlock> blocks;
    blocks.reserve(kMaxBlocks);  // nothing is allocated while a shard is locked, because a task's thread may be waiting for it
    ForEach([&](uint64_t, const OffHeapBlock& block) {
      if (blocks.size() < kMaxBlocks && wanted(block)) blocks.push_back(block);
    });
    return blocks;
  }

  // Forgets blocks of which gone(const OffHeapBlock&) is true; the bytes they stood for.
  template <typename Gone>
  double EraseIf(Gone&& gone) {
    double bytes = 0;
    for (Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      for (auto entry = shard.blocks.begin(); entry != shard.blocks.end();) {
        if (!gone(std::as_const(entry->second))) {
          ++entry;
          continue;
        }
        bytes += entry->second.amount.bytes;
        filter_[FilterIndex(entry->first)].fetch_sub(1, std::memory_order_relaxed);
        count_.fetch_sub(1, std::memory_order_relaxed);
        entry = shard.blocks.erase(entry);
      }
    }
    return bytes;
  }

  // Blocks of at least so many bytes, in order of address.
  std::vector<AddressRange> Larger(uint64_t bytes) const;

  // False: certainly not followed.
  bool MayContain(uint64_t address) const { return filter_[FilterIndex(address)].load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr size_t kShards = 64;
  static constexpr size_t kFilterSize = 1u << 17;  // two bytes each
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<uint64_t, OffHeapBlock> blocks;
  };

  static size_t FilterIndex(uint64_t address) { return Mix64(address) % kFilterSize; }
  Shard& ShardOf(uint64_t address) { return shards_[(Mix64(address) >> 40) % kShards]; }

  std::atomic<uint32_t> count_{0};
  std::array<Shard, kShards> shards_;
  // 16 bits cannot overflow: there are fewer blocks than that.
  std::array<std::atomic<uint16_t>, kFilterSize> filter_{};
  static_assert(kMaxBlocks <= UINT16_MAX);
};

}  // namespace memprof
