// TwoCopies<T>: a mutable record of the black box, double-buffered and checksummed (the protocol stands in layout.h).
// T is plain old data whose size is a multiple of 8, without padding. One writer at a time; callable from hooks.
//
//   T& site = record.Begin();   // the older copy, brought up to date
//   site.live += n;
//   record.Commit(seed);        // now it is the newer one
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/hash.h"

namespace memprof::box {

// The seed of a record's checksum: its table and index.
constexpr uint64_t RecordSeed(uint32_t table, uint32_t index) { return HashPair(table + 1, index); }

template <typename T>
struct TwoCopies {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);

  struct Copy {
    uint64_t checksum;
    uint64_t sequence;
    T value;

    uint64_t ChecksumAs(uint64_t with_sequence, uint64_t seed) const {
      return HashBytes(&value, sizeof value, HashPair(with_sequence, seed));
    }
  };
  Copy copies[2];

  const Copy& CurrentCopy() const { return copies[copies[1].sequence > copies[0].sequence ? 1 : 0]; }
  const T& Current() const { return CurrentCopy().value; }

  // The copy that Begin() has given, between Begin() and Commit().
  T& Working() { return copies[copies[1].sequence > copies[0].sequence ? 0 : 1].value; }
  const T& Working() const { return copies[copies[1].sequence > copies[0].sequence ? 0 : 1].value; }

  T& Begin() {
    int current = copies[1].sequence > copies[0].sequence ? 1 : 0;
    copies[1 - current].value = copies[current].value;
    return copies[1 - current].value;
  }

  void Commit(uint64_t seed) {
    int current = copies[1].sequence > copies[0].sequence ? 1 : 0;
    Copy& next = copies[1 - current];
    // The sequence is written last. So an interrupted first write counts as no write, and any other interrupted write tears only
    // the older copy.
    const uint64_t sequence = copies[current].sequence + 1;
    next.checksum = next.ChecksumAs(sequence, seed);
    std::atomic_ref<uint64_t>(next.sequence).store(sequence, std::memory_order_release);
  }

  // Reader: the newest whole copy; nullptr when there is none.
  const Copy* Newest(uint64_t seed) const {
    const Copy* newest = nullptr;
    for (const Copy& copy : copies) {
      if (copy.sequence == 0 || copy.checksum != copy.ChecksumAs(copy.sequence, seed)) continue;
      if (newest == nullptr || copy.sequence > newest->sequence) newest = &copy;
    }
    return newest;
  }

  bool NeverWritten() const { return copies[0].sequence == 0 && copies[1].sequence == 0; }
};

}  // namespace memprof::box
