#include "sites/stack_fold.h"

#include <cstring>

namespace memprof {
namespace {

constexpr uint32_t kLongestPeriod = 8;
constexpr uint32_t kConsidered = 512;

// Drops the repetition that the newest frame may have completed.
uint32_t DropRepetition(const uint32_t* frames, uint32_t depth) {
  for (uint32_t period = 1; period <= kLongestPeriod && 2 * period <= depth; ++period) {
    if (frames[depth - 1] != frames[depth - 1 - period]) continue;
    if (memcmp(frames + depth - period, frames + depth - 2 * period, period * sizeof *frames) == 0) return depth - period;
  }
  return depth;
}

}  // namespace

uint32_t FoldStack(const uint32_t* frames, uint32_t depth, uint32_t* folded) {
  uint32_t buffer[kConsidered];
  uint32_t count = 0;
  for (uint32_t i = 0; i < depth; ++i) {
    if (depth > kConsidered && i == kOutermostKept) i = depth - (kConsidered - kOutermostKept);
    buffer[count++] = frames[i];
    count = DropRepetition(buffer, count);
  }
  if (count <= kOutermostKept + kInnermostKept) {
    memcpy(folded, buffer, count * sizeof *folded);
    return count;
  }
  memcpy(folded, buffer, kOutermostKept * sizeof *folded);
  memcpy(folded + kOutermostKept, buffer + count - kInnermostKept, kInnermostKept * sizeof *folded);
  return kOutermostKept + kInnermostKept;
}

}  // namespace memprof
