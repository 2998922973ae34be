#include "sites/live_set.h"

#include "base/hash.h"

namespace memprof {

void LiveSet::Measure(uint32_t slots, Arena& arena) {
  arena.Take<LiveBlock>(slots);
  arena.Take<std::atomic<uint8_t>>(LiveFilter::kBytes);
  arena.Take<uintptr_t>(kMappings);
  arena.Take<uintptr_t>(kLargeBlocks);
}

void LiveSet::Attach(uint32_t slots, Arena& arena) {
  blocks_ = arena.Take<LiveBlock>(slots);
  filter_ = LiveFilter(arena.Take<std::atomic<uint8_t>>(LiveFilter::kBytes));
  mappings_ = AddressList(arena.Take<uintptr_t>(kMappings), kMappings);
  large_ = AddressList(arena.Take<uintptr_t>(kLargeBlocks), kLargeBlocks);
  slots_ = slots;
  limit_ = slots / 4 * 3;
}

uint32_t LiveSet::Home(uintptr_t address) const {
  // Neighbouring blocks were mostly allocated together and are freed together.
  const uint64_t region = static_cast<uint64_t>(address) >> 10;
  const uint32_t at = static_cast<uint32_t>(((Mix64(region) >> 32) * slots_) >> 32) + static_cast<uint32_t>(address >> 4 & 63);
  return at < slots_ ? at : at - slots_;
}

LiveBlock* LiveSet::Find(uintptr_t address) {
  for (uint32_t at = Home(address); blocks_[at].address != 0; at = Next(at)) {
    if (blocks_[at].address == address) return &blocks_[at];
  }
  return nullptr;
}

LiveBlock* LiveSet::Insert(const LiveBlock& block) {
  uint32_t at = Home(block.address);
  while (blocks_[at].address != 0) at = Next(at);
  blocks_[at] = block;
  ++count_;
  filter_.Add(block.address);
  if ((block.address & kPageMask) == 0) mappings_.Add(block.address);
  if (IsLarge(block)) {
    large_.Add(block.address);
    ++large_count_;
  }
  return &blocks_[at];
}

void LiveSet::Erase(LiveBlock* block) {
  filter_.Remove(block->address);
  if ((block->address & kPageMask) == 0) mappings_.Remove(block->address);
  if (IsLarge(*block)) {
    large_.Remove(block->address);
    --large_count_;
  }
  --count_;
  uint32_t hole = static_cast<uint32_t>(block - blocks_);
  for (uint32_t at = Next(hole); blocks_[at].address != 0; at = Next(at)) {
    // May move into the hole unless its home lies (cyclically) behind the hole and up to where it is.
    uint32_t home = Home(blocks_[at].address);
    bool stays = hole <= at ? (hole < home && home <= at) : (hole < home || home <= at);
    if (stays) continue;
    blocks_[hole] = blocks_[at];
    hole = at;
  }
  blocks_[hole].address = 0;
}

uintptr_t LiveSet::MappingIn(uintptr_t begin, uintptr_t end) {
  if (Find(begin) != nullptr) return begin;
  uint32_t at = mappings_.LowerBound(begin);
  // Followed blocks do not overlap, so of those that start before `begin` only the last can reach into the range.
  if (at > 0) {
    LiveBlock* before = Find(mappings_[at - 1]);
    if (before != nullptr && before->address + before->size > begin) return before->address;
  }
  return at < mappings_.count() && mappings_[at] < end ? mappings_[at] : 0;
}

}  // namespace memprof
