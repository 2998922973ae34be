// BoundedStack: keeps the ends of a call stack of any depth: the innermost kInner frames and the outermost kOuter, with
// recursion folded (a group of up to kMaxPeriod frames that repeats is kept once). Filled innermost first.
// Plain memory, no allocation; belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>

namespace memprof {

template <typename Frame, size_t kInner, size_t kOuter>
class BoundedStack {
 public:
  static constexpr size_t kMaxPeriod = 4;

  void Push(const Frame& frame) {
    if (inner_count_ < kInner) {
      inner_[inner_count_++] = frame;
      inner_count_ = Folded(inner_, inner_count_);
      return;
    }
    if (outer_count_ == 2 * kOuter) {
      std::copy(outer_ + kOuter, outer_ + 2 * kOuter, outer_);
      outer_count_ = kOuter;
    }
    outer_[outer_count_++] = frame;
    outer_count_ = Folded(outer_, outer_count_);
  }

  size_t size() const { return inner_count_ + std::min(outer_count_, kOuter); }

  // 0: innermost.
  const Frame& operator[](size_t i) const {
    return i < inner_count_ ? inner_[i] : outer_[outer_count_ - std::min(outer_count_, kOuter) + i - inner_count_];
  }

 private:
  static size_t Folded(const Frame* frames, size_t count) {
    for (size_t period = 1; period <= kMaxPeriod && 2 * period <= count; ++period) {
      if (std::equal(frames + count - period, frames + count, frames + count - 2 * period)) return count - period;
    }
    return count;
  }

  Frame inner_[kInner];
  Frame outer_[2 * kOuter];
  size_t inner_count_ = 0, outer_count_ = 0;
};

}  // namespace memprof
