// HeldUse: the use of memory that an executor has had for ten seconds on end. It follows from the samples of its time line as they come,
// of which few are kept. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

namespace memprof {

class HeldUse {
 public:
  static constexpr int64_t kLongMs = 10'000;
  static constexpr int64_t kMostBetweenMs = 2'500;  // two samples of one stretch: one comes a second

  void Add(int64_t time_ms, uint64_t bytes) {
    const bool goes_on = is_begun_ && time_ms >= last_ms_ && time_ms - last_ms_ <= kMostBetweenMs;
    last_ms_ = time_ms;
    least_ = goes_on ? std::min(least_, bytes) : bytes;
    if (!goes_on) since_ms_ = time_ms;
    is_begun_ = true;
    if (time_ms - since_ms_ < kLongMs) return;
    bytes_ = std::max(bytes_, least_);
    since_ms_ = time_ms;  // the next ten seconds
    least_ = bytes;
  }

  // The largest use below which it never was within some ten seconds; 0: there were none. Stretches of ten seconds follow one another, so
  // what was held for twenty is seen as a rule.
  uint64_t bytes() const { return bytes_; }

 private:
  bool is_begun_ = false;
  int64_t since_ms_ = 0, last_ms_ = 0;
  uint64_t least_ = 0, bytes_ = 0;
};

}  // namespace memprof
