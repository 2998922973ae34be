// TimeSamples: an executor's samples in the order of their times, at most `most` of them.
//
// When there is one too many the older ones are thinned: time is divided into buckets of equal width, and each bucket keeps its
// sample of the largest use, whole. The width is doubled until there is room. So a life of any length keeps its peaks, has equal
// detail over its past, and keeps its newest quarter complete. Figures that count since the sample before (task starts) move to
// the next kept sample, so their sum stays. The first sample is kept.
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
  static constexpr size_t kMostOfExecutor = 600;  // kept and reported

  explicit TimeSamples(size_t most, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Ignores a sample of a time that is there already: a repeated sample counts once.
  void Add(const TimeSample& sample);
  // A smaller bound from now on; gives memory back.
  void Shrink(size_t most);
  void Clear();

  const std::pmr::vector<TimeSample>& all() const { return samples_; }
  size_t most() const { return most_; }
  // Dropped by thinning.
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
