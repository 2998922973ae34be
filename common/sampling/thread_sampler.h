// ThreadSampler: a thread's PoissonSampler that begins anew when sampling is started anew, perhaps with another interval: the rest of
// a gap of 256 MiB would hide the first blocks that follow. Plain data that works when zero-filled, for thread-local storage. Not
// thread-safe: it belongs to its thread. The number of the start is counted from 1 by whoever starts (SamplingStarts).
#pragma once

#include <atomic>
#include <cstdint>

#include "sampling/poisson_sampler.h"

namespace memprof {

// The number of the start, and in it whether sampling is on: odd numbers. A thread that joined the number of a start with a state from
// before it would wait for the next start while this one records. Begin() and End() are for one thread at a time.
class SamplingStarts {
 public:
  void Begin() { number_.store((Now() + 1) | 1, std::memory_order_release); }
  void End() { number_.store((Now() + 1) & ~uint32_t{1}, std::memory_order_release); }

  // HOOK.
  uint32_t Now() const { return number_.load(std::memory_order_acquire); }
  static bool IsOn(uint32_t start) { return start % 2 != 0; }

 private:
  std::atomic<uint32_t> number_{0};
};

class ThreadSampler {
 public:
  // HOOK. Counts a block. True: call Draw() or PutOff() before the next call.
  bool Crosses(uint64_t size, uint32_t start) { return sampler_.Crosses(size) || start != start_; }

  // HOOK. Lets Crosses() be false until the next start, whatever is counted: nothing is recorded now.
  void PutOff(uint32_t start) {
    start_ = start;
    sampler_ = {};  // it may have been put off before
    sampler_.TakeBack(kForever);
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
