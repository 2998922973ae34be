// NearlyFull: whether a heap has stayed nearly full: kCollections in a row have left more than 90 % of its maximum in use.
// Collections of the whole heap count, and G1's young ones, because they also clear old regions. It reports once, and again only
// when a collection has left less than 80 % meanwhile and kBetweenNs have passed. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>

#include "gc/collection.h"

namespace memprof {

class NearlyFull {
 public:
  static constexpr int kCollections = 3;
  static constexpr int64_t kBetweenNs = int64_t{600} * 1'000'000'000;

  void Reset();
  // True: now. `now_ns`: monotonic.
  bool Ended(const Collection& collection, int64_t now_ns);

 private:
  std::mutex mutex_;
  int in_a_row_ = 0;
  bool armed_ = true;
  int64_t told_ns_ = 0;  // 0: never
};

}  // namespace memprof
