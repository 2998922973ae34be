// LiveFilter: says of most addresses, without a lock, that they are not followed. A counting filter of 256 KiB: one byte
// an address hashes to, holding how many followed blocks hash there; a byte that reached 255 stays. Free's fast path is one
// load of it.
//
// May() is lock-free and safe from any thread; Add and Remove belong to the recorder's lock. A thread that frees a block has
// seen its allocation, hence (the allocating thread having added it before handing it out) also its byte.
#pragma once

#include <atomic>
#include <cstdint>

namespace memprof {

class LiveFilter {
 public:
  static constexpr uint32_t kBytes = 256u << 10;

  LiveFilter() = default;
  explicit LiveFilter(std::atomic<uint8_t>* zeroed) : counts_(zeroed) {}

  bool May(uintptr_t address) const { return counts_[SlotOf(address)].load(std::memory_order_relaxed) != 0; }

  void Add(uintptr_t address) {
    std::atomic<uint8_t>& count = counts_[SlotOf(address)];
    uint8_t value = count.load(std::memory_order_relaxed);
    if (value != 255) count.store(static_cast<uint8_t>(value + 1), std::memory_order_relaxed);
  }

  void Remove(uintptr_t address) {
    std::atomic<uint8_t>& count = counts_[SlotOf(address)];
    uint8_t value = count.load(std::memory_order_relaxed);
    if (value != 255) count.store(static_cast<uint8_t>(value - 1), std::memory_order_relaxed);
  }

 private:
  // Fibonacci hashing; blocks are 16 bytes apart at least.
  static uint32_t SlotOf(uintptr_t address) {
    static_assert(kBytes == 1u << 18);
    return static_cast<uint32_t>(((static_cast<uint64_t>(address) >> 4) * 0x9e3779b97f4a7c15u) >> (64 - 18));
  }

  std::atomic<uint8_t>* counts_ = nullptr;
};

}  // namespace memprof
