#include "timeline/time_samples.h"

#include <algorithm>
#include <limits>

namespace memprof {
namespace {

constexpr int64_t kFirstWidthMs = 1000;

}  // namespace

TimeSamples::TimeSamples(size_t most, std::pmr::memory_resource* memory)
    : most_(std::max(most, kFewest)), width_ms_(kFirstWidthMs), samples_(memory) {
  samples_.reserve(most_ + 1);
}

void TimeSamples::Add(const TimeSample& sample) {
  auto place = std::lower_bound(samples_.begin(), samples_.end(), sample.time_ms,
                                [](const TimeSample& known, int64_t time_ms) { return known.time_ms < time_ms; });
  if (place != samples_.end() && place->time_ms == sample.time_ms) return;
  samples_.insert(place, sample);
  if (samples_.size() > most_) Thin();
}

void TimeSamples::Shrink(size_t most) {
  most_ = std::min(most_, std::max(most, kFewest));
  if (samples_.size() > most_) Thin();
  std::pmr::vector<TimeSample> fewer(samples_.get_allocator());
  fewer.reserve(most_ + 1);
  fewer.assign(samples_.begin(), samples_.end());
  samples_.swap(fewer);
}

void TimeSamples::Clear() {
  samples_.clear();
  width_ms_ = kFirstWidthMs;
}

// Makes room for several samples at once; otherwise each further sample would cost a pass.
void TimeSamples::Thin() {
  const size_t before = samples_.size();
  const size_t newest = most_ / 4, target = most_ - most_ / 8;
  KeepPeaks(samples_.size() - newest);
  while (samples_.size() > target && width_ms_ <= std::numeric_limits<int64_t>::max() / 4) {
    width_ms_ *= 2;
    KeepPeaks(samples_.size() - newest);
  }
  thinned_ += before - samples_.size();
}

// Keeps, of each bucket before `end`, the sample of the largest use; the first sample is always kept.
void TimeSamples::KeepPeaks(size_t end) {
  size_t kept = 1;
  for (size_t i = 1; i < end;) {
    const int64_t bucket = samples_[i].time_ms / width_ms_;
    size_t largest = i, next = i;
    uint32_t starts = 0, pauses = 0;
    uint64_t stopped_us = 0;
    for (; next < end && samples_[next].time_ms / width_ms_ == bucket; ++next) {
      starts += samples_[next].task_starts;
      pauses += samples_[next].pauses;
      stopped_us += samples_[next].stopped_us;
      if (samples_[next].used() > samples_[largest].used()) largest = next;
    }
    samples_[kept] = samples_[largest];
    samples_[kept].task_starts = starts;
    samples_[kept].pauses = pauses;
    samples_[kept++].stopped_us = static_cast<uint32_t>(std::min<uint64_t>(stopped_us, UINT32_MAX));  // 72 minutes
    i = next;
  }
  samples_.erase(samples_.begin() + static_cast<ptrdiff_t>(kept), samples_.begin() + static_cast<ptrdiff_t>(end));
}

}  // namespace memprof
