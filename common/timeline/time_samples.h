// TimeSamples: an executor's samples in the order of their times, at most `most` of them.
//
// When there is one too many the older ones are thinned: time is divided into buckets of equal width, and of a bucket the sample of
// the largest use is kept, whole; that is doubled in width until there is room. So a life of any length has its peaks, the same
// detail all over its past, and its newest quarter as it was taken. What counts since the sample before (task starts) moves on to
// the next kept one: its sum stays. The first sample is kept.
//
// Not thread-safe. Takes its memory from the resource given, all of it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "timeline/time_sample.h"

namespace memprof {

class TimeSamples {
 public:
  static constexpr size_t kFewest = 8;

  explicit TimeSamples(size_t most, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Ignores a sample of a time that is there already: told twice it is one.
  void Add(const TimeSample& sample);
  // A smaller bound from now on; gives memory back.
  void Shrink(size_t most);
  void Clear();

  const std::pmr::vector<TimeSample>& all() const { return samples_; }
  size_t most() const { return most_; }
  // Let go by thinning.
  uint64_t thinned() const { return thinned_; }

 private:
  void Thin();
  void KeepPeaks(size_t end);

  size_t most_;
  int64_t width_ms_;
  uint64_t thinned_ = 0;
  std::pmr::vector<TimeSample> samples_;
};

}  // namespace memprof
