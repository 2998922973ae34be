// ThreadSampler: a thread's PoissonSampler that begins anew when sampling is started anew, perhaps with another interval: the rest of
// a gap of 256 MiB would hide the first blocks that follow. Plain data that works when zero-filled, for thread-local storage. Not
// thread-safe: it belongs to its thread. The number of the start is counted from 1 by whoever starts.
#pragma once

#include <cstdint>

#include "sampling/poisson_sampler.h"

namespace memprof {

class ThreadSampler {
 public:
  // HOOK. Counts a block. True: call Draw() or PutOff() before the next call.
  bool Crosses(uint64_t size, uint32_t start) { return sampler_.Crosses(size) || start != start_; }

  // HOOK. Takes back the block that was counted last, and lets Crosses() be false until the next start: nothing is recorded now.
  void PutOff(uint64_t size, uint32_t start) {
    start_ = start;
    sampler_.TakeBack(size + kForever);
  }

  // HOOK, slow path. `interval` in bytes; the same for every call with this start.
  SampleWeight Draw(uint64_t size, uint64_t interval, uint32_t start) {
    if (start != start_) {
      start_ = start;
      sampler_ = {};
      sampler_.Crosses(size);  // this block is its first
    }
    return sampler_.Draw(size, interval);
  }

 private:
  static constexpr uint64_t kForever = uint64_t{1} << 62;

  PoissonSampler sampler_;
  uint32_t start_;  // which one's interval the sampler has
};

}  // namespace memprof
