#include "base/stack_fold.h"

#include <cstring>

namespace memprof {
namespace {

constexpr size_t kConsidered = 512;

}  // namespace

uint32_t FoldStack(const uint32_t* frames, uint32_t depth, uint32_t* folded) {
  uint32_t buffer[kConsidered];
  size_t count = 0;
  for (uint32_t i = 0; i < depth; ++i) {
    if (depth > kConsidered && i == kOutermostKept) i = depth - (kConsidered - kOutermostKept);
    buffer[count++] = frames[i];
    count = DepthWithoutRepetition(buffer, count);
  }
  if (count <= kOutermostKept + kInnermostKept) {
    memcpy(folded, buffer, count * sizeof *folded);
    return static_cast<uint32_t>(count);
  }
  memcpy(folded, buffer, kOutermostKept * sizeof *folded);
  memcpy(folded + kOutermostKept, buffer + count - kInnermostKept, kInnermostKept * sizeof *folded);
  return kOutermostKept + kInnermostKept;
}

}  // namespace memprof
