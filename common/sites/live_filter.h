// LiveFilter: shows for most addresses, without a lock, that they are not followed. It has two counting filters. In each, an
// address hashes to one byte, which counts the followed blocks that hash there; a byte that reached 255 stays. Free's fast path
// is one load of the first filter. The second, with another hash, is only read where the first says yes. With thousands of
// followed blocks, each filter alone is wrong for every hundredth address, and both together for few.
//
// May() is lock-free and safe from any thread; Add and Remove belong to the recorder's lock. The allocating thread adds a block
// before it returns it. So a thread that frees the block sees its byte.
#pragma once

#include <atomic>
#include <cstdint>

namespace memprof {

class LiveFilter {
 public:
  static constexpr uint32_t kFirstBytes = 256u << 10, kSecondBytes = 64u << 10;
  static constexpr uint32_t kBytes = kFirstBytes + kSecondBytes;

  LiveFilter() = default;
  explicit LiveFilter(std::atomic<uint8_t>* zeroed) : counts_(zeroed) {}

  bool May(uintptr_t address) const { return May(counts_, address); }
  static bool May(const std::atomic<uint8_t>* counts, uintptr_t address) {
    return counts[FirstOf(address)].load(std::memory_order_relaxed) != 0 && counts[SecondOf(address)].load(std::memory_order_relaxed) != 0;
  }
  const std::atomic<uint8_t>* counts() const { return counts_; }

  void Add(uintptr_t address) {
    Increment(counts_[FirstOf(address)]);
    Increment(counts_[SecondOf(address)]);
  }

  void Remove(uintptr_t address) {
    Decrement(counts_[FirstOf(address)]);
    Decrement(counts_[SecondOf(address)]);
  }

 private:
  static void Increment(std::atomic<uint8_t>& count) {
    uint8_t value = count.load(std::memory_order_relaxed);
    if (value != 255) count.store(static_cast<uint8_t>(value + 1), std::memory_order_relaxed);
  }
  static void Decrement(std::atomic<uint8_t>& count) {
    uint8_t value = count.load(std::memory_order_relaxed);
    if (value != 255) count.store(static_cast<uint8_t>(value - 1), std::memory_order_relaxed);
  }

  // Each 64 bytes have a count, and neighbouring addresses have neighbouring counts. Blocks that are freed together were mostly
  // allocated together; they then share a cache line instead of missing the cache each time (for small objects this saved a third
  // of the time). Addresses 16 MiB apart share a count; the second filter distinguishes them.
  static uint32_t FirstOf(uintptr_t address) {
    static_assert((kFirstBytes & (kFirstBytes - 1)) == 0);
    return static_cast<uint32_t>(address >> 6) & (kFirstBytes - 1);
  }

  static uint32_t SecondOf(uintptr_t address) {
    return kFirstBytes + static_cast<uint32_t>(((static_cast<uint64_t>(address) >> 4) * 0xbf58476d1ce4e5b9u) >> 48);
  }
  static_assert(kSecondBytes == 1u << 16);

  std::atomic<uint8_t>* counts_ = nullptr;
};

}  // namespace memprof
