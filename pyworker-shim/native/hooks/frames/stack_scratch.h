// StackScratch: the memory that a sample needs to build its stack. It is kept off the host's stack as far as possible, because
// coroutines and signal handlers run on stacks of 8 KiB, and malloc must not need more stack than before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/stack_fold.h"
#include "frames/frame_cursor.h"
#include "sites/bounded_stack.h"
#include "sites/recorder.h"

namespace memprof {

// For a frame's texts while they are interned.
struct TextScratch {
  char name[256], file[1024];
};

// A Python frame, or a native one between two of them.
struct MixedFrame {
  PyCodeObject* code;  // null: native
  intptr_t position;   // the instruction, or the return address

  static MixedFrame OfPython(const PythonFrame& frame) { return {frame.code, frame.instruction}; }
  static MixedFrame OfNative(uintptr_t address) { return {nullptr, static_cast<intptr_t>(address)}; }
  bool operator==(const MixedFrame&) const = default;
};

struct StackScratch {
  // Frames below the innermost Python line may take at most half of the kMaxStackDepth frames, so that the line always has a
  // place.
  static constexpr size_t kNativeInner = 48, kNativeOuter = 16;
  static constexpr size_t kUnwound = 192;  // native frames looked at

  BoundedStack<MixedFrame, kInnermostKept, kOutermostKept> calls;  // down to the innermost Python line
  BoundedStack<uintptr_t, kNativeInner, kNativeOuter> native;      // below it
  uintptr_t addresses[kUnwound];
  FrameId stack[kMaxStackDepth];  // the result
  TextScratch texts;
};

// A pool of scratches. While one is free, a sampling thread need not use its own stack. Static memory, zero at first; only used
// parts become resident. HOOK.
class ScratchPool {
 public:
  StackScratch* Take() {  // null: all are taken
    uint32_t taken = taken_.load(std::memory_order_relaxed);
    while (taken != UINT32_MAX) {
      const int free = __builtin_ctz(~taken);
      if (taken_.compare_exchange_weak(taken, taken | uint32_t{1} << free, std::memory_order_acquire)) {
        return new (memory_ + static_cast<size_t>(free) * sizeof(StackScratch)) StackScratch;
      }
    }
    return nullptr;
  }
  void Give(const StackScratch* scratch) {
    const size_t index = static_cast<size_t>(reinterpret_cast<const unsigned char*>(scratch) - memory_) / sizeof(StackScratch);
    taken_.fetch_and(~(uint32_t{1} << index), std::memory_order_release);
  }
  void AfterForkInChild() { taken_.store(0, std::memory_order_relaxed); }  // the threads that had taken them are gone

 private:
  static constexpr size_t kCount = 32;  // bits of taken_

  std::atomic<uint32_t> taken_{0};
  alignas(StackScratch) unsigned char memory_[kCount * sizeof(StackScratch)] = {};
};

}  // namespace memprof
