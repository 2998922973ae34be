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
  static constexpr uint32_t kLineBits = 12, kLines = 1u << kLineBits, kLineBytes = 64;
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
  // The address's page chooses a cache line, its 64 bytes within the page a byte of that line: what is freed together was
  // mostly allocated together, and then shares a line instead of missing the cache each time (measured on small objects: a
  // third of the time). Two followed blocks within 64 bytes only share a count.
  static uint32_t SlotOf(uintptr_t address) {
    static_assert(kBytes == kLines * kLineBytes);
    const uint64_t line = ((static_cast<uint64_t>(address) >> 12) * 0x9e3779b97f4a7c15u) >> (64 - kLineBits);
    return static_cast<uint32_t>(line * kLineBytes + ((address >> 6) & (kLineBytes - 1)));
  }

  std::atomic<uint8_t>* counts_ = nullptr;
};

}  // namespace memprof
