#include "offheap/offheap_blocks.h"

#include <algorithm>

namespace memprof {

bool OffHeapBlocks::Put(uint64_t address, const OffHeapBlock& block) {
  if (count_.fetch_add(1, std::memory_order_relaxed) >= kMaxBlocks) {
    count_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  Shard& shard = ShardOf(address);
  const std::lock_guard lock(shard.mutex);
  if (shard.blocks.insert_or_assign(address, block).second) {
    filter_[FilterIndex(address)].fetch_add(1, std::memory_order_relaxed);
  } else {
    count_.fetch_sub(1, std::memory_order_relaxed);
  }
  return true;
}

std::optional<OffHeapBlock> OffHeapBlocks::Take(uint64_t address) {
  Shard& shard = ShardOf(address);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.blocks.find(address);
  if (found == shard.blocks.end()) return std::nullopt;
  const OffHeapBlock block = found->second;
  shard.blocks.erase(found);
  filter_[FilterIndex(address)].fetch_sub(1, std::memory_order_relaxed);
  count_.fetch_sub(1, std::memory_order_relaxed);
  return block;
}

std::vector<AddressRange> OffHeapBlocks::Larger(uint64_t bytes) const {
  std::vector<AddressRange> found;
  ForEach([&](uint64_t address, const OffHeapBlock& block) {
    if (block.size >= bytes) found.push_back({address, address + block.size});
  });
  std::sort(found.begin(), found.end(), AddressRange::ByBegin);
  return found;
}

}  // namespace memprof
