// Makes a stack fit: recursion folded, at most kMaxStackDepth frames.
//
// Folding: whenever the last p frames equal the p frames before them (p up to 8), the repetition is dropped, so that
// f f f becomes f and f g f g becomes f g. A frame here is a frame *and line*, hence only identical calls fold.
// Then the outermost 32 and the innermost 96 frames are kept.
//
// Looks at the outermost 32 and the innermost 480 frames of deeper stacks. Pure; callable from hooks; 2 KiB of stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace memprof {

inline constexpr uint32_t kOutermostKept = 32, kInnermostKept = 96;
inline constexpr uint32_t kMaxStackDepth = kOutermostKept + kInnermostKept;
inline constexpr size_t kLongestPeriod = 8;

// One step of folding: how many of `depth` frames stay after the last one was added and may have completed a repetition.
template <typename Frame>
size_t DepthWithoutRepetition(const Frame* frames, size_t depth) {
  for (size_t period = 1; period <= kLongestPeriod && 2 * period <= depth; ++period) {
    if (!(frames[depth - 1] == frames[depth - 1 - period])) continue;
    if (std::equal(frames + depth - period, frames + depth, frames + depth - 2 * period)) return depth - period;
  }
  return depth;
}

// Writes at most kMaxStackDepth frames to `folded`, returns how many.
uint32_t FoldStack(const uint32_t* frames, uint32_t depth, uint32_t* folded);

}  // namespace memprof
