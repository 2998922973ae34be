// BoundedStack: keeps the ends of a call stack of any depth while it is walked: the innermost kInner frames and the outermost
// kOuter, with recursion folded (see stack_fold.h). Filled innermost first, so that frames that are not kept need no name. Plain
// memory, no allocation; belongs to one thread. Callable from hooks.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/stack_fold.h"

namespace memprof {

template <typename Frame, size_t kInner, size_t kOuter>
class BoundedStack {
 public:
  void Push(const Frame& frame) {
    if (inner_count_ < kInner) {
      inner_[inner_count_++] = frame;
      inner_count_ = DepthWithoutRepetition(inner_, inner_count_);
      return;
    }
    if (outer_count_ == 2 * kOuter) {
      std::copy(outer_ + kOuter, outer_ + 2 * kOuter, outer_);
      outer_count_ = kOuter;
    }
    outer_[outer_count_++] = frame;
    outer_count_ = DepthWithoutRepetition(outer_, outer_count_);
  }

  size_t size() const { return inner_count_ + std::min(outer_count_, kOuter); }

  // 0: innermost.
  const Frame& operator[](size_t i) const {
    return i < inner_count_ ? inner_[i] : outer_[outer_count_ - std::min(outer_count_, kOuter) + i - inner_count_];
  }

 private:
  Frame inner_[kInner];
  Frame outer_[2 * kOuter];  // the last kOuter of them are the outermost so far
  size_t inner_count_ = 0, outer_count_ = 0;
};

}  // namespace memprof
