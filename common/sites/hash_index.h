// HashIndex: from a hash to a reference (index + 1) into the caller's table, in memory given by the caller. Open addressing with
// linear probing; deletion shifts back, so there are no tombstones and it does not degrade. It stores only references: the caller
// compares keys, and gives the hash of a reference that must move.
//
// The caller keeps it below about 3/4 full. Not thread-safe. Callable from hooks.
#pragma once

#include <cstdint>

namespace memprof {

class HashIndex {
 public:
  HashIndex() = default;
  HashIndex(uint32_t* zeroed_slots, uint32_t capacity) : slots_(zeroed_slots), capacity_(capacity) {}

  // Slots for a table of `records`.
  static constexpr uint32_t SlotsFor(uint32_t records) { return records + records / 3 + 8; }

  // The reference for which same(reference) holds, 0 when there is none.
  template <typename Same>
  uint32_t Find(uint64_t hash, Same same) const {
    for (uint32_t at = Home(hash); slots_[at] != 0; at = Next(at)) {
      if (same(slots_[at])) return slots_[at];
    }
    return 0;
  }

  // `reference` is not in the index yet.
  void Insert(uint64_t hash, uint32_t reference) {
    uint32_t at = Home(hash);
    while (slots_[at] != 0) at = Next(at);
    slots_[at] = reference;
  }

  template <typename HashOf>
  void Erase(uint32_t reference, HashOf hash_of) {
    uint32_t hole = Home(hash_of(reference));
    while (slots_[hole] != reference) {
      if (slots_[hole] == 0) return;
      hole = Next(hole);
    }
    for (uint32_t at = Next(hole); slots_[at] != 0; at = Next(at)) {
      // It may move into the hole unless its home slot is (cyclically) after the hole and not after its present slot.
      uint32_t home = Home(hash_of(slots_[at]));
      bool stays = hole <= at ? (hole < home && home <= at) : (hole < home || home <= at);
      if (stays) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = 0;
  }

  void Clear() {
    for (uint32_t i = 0; i < capacity_; ++i) slots_[i] = 0;
  }

 private:
  uint32_t Home(uint64_t hash) const { return static_cast<uint32_t>(((hash >> 32) * capacity_) >> 32); }
  uint32_t Next(uint32_t at) const { return at + 1 == capacity_ ? 0 : at + 1; }

  uint32_t* slots_ = nullptr;
  uint32_t capacity_ = 0;
};

}  // namespace memprof
