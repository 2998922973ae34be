// The current thread's Java stack as the JVM gives it: method ids and bytecode indexes, innermost first, at most 128
// frames (outermost 32 + innermost 96 of a deeper one), with a hash over them. About 1 µs shallow, 7 µs on a Spark stack.
//
// Call only where JVMTI may be called: event callbacks on Java threads and native methods, never inside malloc.
#pragma once

#include <jvmti.h>

#include <cstdint>

namespace memprof {

inline constexpr int kMaxJavaFrames = 128;
inline constexpr int kOutermostFrames = 32;
inline constexpr int kInnermostFrames = kMaxJavaFrames - kOutermostFrames;

struct CapturedStack {
  jvmtiFrameInfo frames[kMaxJavaFrames];
  int depth = 0;      // 0: no Java frame, or the JVM refused
  uint64_t hash = 0;  // of the frames; equal stacks have equal hashes
};

void CaptureStack(jvmtiEnv* jvmti, jthread thread, CapturedStack* stack);

}  // namespace memprof
