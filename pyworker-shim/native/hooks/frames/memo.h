// Memo: numbers by key, in a fixed table of words, each with a number and half of its key. Any number of threads read and write
// it without a lock. A new entry overwrites the word in its place; a forgotten number is computed again. Zero at first, so that
// in static storage it costs no page until it is used. HOOK, all of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memprof {

template <size_t kPlaces>
class Memo {
 public:
  // 0: not remembered.
  uint32_t Find(uint64_t key) const {
    const uint64_t place = places_[key % kPlaces].load(std::memory_order_relaxed);
    return (place & kKeyMask) == (key & kKeyMask) ? static_cast<uint32_t>(place) : 0;
  }

  void Remember(uint64_t key, uint32_t number) {
    if (number != 0) places_[key % kPlaces].store((key & kKeyMask) | number, std::memory_order_relaxed);
  }

  // May run at the same time as look-ups.
  void Forget() {
    for (std::atomic<uint64_t>& place : places_) place.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t kKeyMask = ~uint64_t{0xffffffff};

  std::atomic<uint64_t> places_[kPlaces] = {};
};

}  // namespace memprof
