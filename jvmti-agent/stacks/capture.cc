#include "stacks/capture.h"

#include <algorithm>

namespace memprof {
namespace {

uint64_t Mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

// Keeps the outermost and the innermost frames of a stack that is deeper than the bound.
void KeepBothEnds(jvmtiEnv* jvmti, jthread thread, CapturedStack* stack) {
  jint total = 0;
  if (jvmti->GetFrameCount(thread, &total) != JVMTI_ERROR_NONE || total <= kMaxJavaFrames) return;
  jint outermost = 0;
  if (jvmti->GetStackTrace(thread, -kOutermostFrames, kOutermostFrames, stack->frames + kInnermostFrames, &outermost) == JVMTI_ERROR_NONE) {
    stack->depth = kInnermostFrames + outermost;
  }
}

}  // namespace

void CaptureStack(jvmtiEnv* jvmti, jthread thread, CapturedStack* stack) {
  jint depth = 0;
  if (jvmti->GetStackTrace(thread, 0, kMaxJavaFrames, stack->frames, &depth) != JVMTI_ERROR_NONE) depth = 0;
  stack->depth = std::clamp<int>(depth, 0, kMaxJavaFrames);
  if (stack->depth == kMaxJavaFrames) KeepBothEnds(jvmti, thread, stack);

  uint64_t hash = static_cast<uint64_t>(stack->depth);
  for (int i = 0; i < stack->depth; ++i) {
    const uint64_t method = reinterpret_cast<uintptr_t>(stack->frames[i].method);
    hash = Mixed(hash, method + (static_cast<uint64_t>(stack->frames[i].location) << 48));
  }
  stack->hash = hash;
}

}  // namespace memprof
