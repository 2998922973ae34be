// What a hook tells: the fast half, inlined into every hook. A block that isn't sampled costs a subtraction and a
// comparison; a block given back that isn't followed, one load. The slow half is record.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "allocators/hook_state.h"

namespace memprof {

// HOOK, slow halves. errno is kept.
__attribute__((noinline, cold)) void RecordAllocated(void* block, size_t size, bool with_native);
__attribute__((noinline, cold)) void RecordFreeing(Recorder* recorder, void* block);
__attribute__((noinline, cold)) Recorder::Detached RecordDetached(Recorder* recorder, void* block);
__attribute__((noinline, cold)) void RecordResized(Recorder* recorder, const Recorder::Detached& old, void* block, size_t size,
                                                   bool with_native);
__attribute__((noinline, cold)) void RecordUnmapping(Recorder* recorder, void* begin, size_t size);

// A block was obtained (or not: null). `with_native`: its stack shows the native frames below the Python line.
inline void NoteAllocated(void* block, size_t size, bool with_native) {
  HookThread& thread = hook_thread;
  if (thread.guard == 0 && block != nullptr && thread.sampler.Crosses(size)) [[unlikely]] {
    RecordAllocated(block, size, with_native);
  }
}

// A block is about to be given back.
inline void NoteFreeing(void* block) {
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder != nullptr && recorder->MayBeLive(reinterpret_cast<uintptr_t>(block))) [[unlikely]] {
    RecordFreeing(recorder, block);
  }
}

// [begin, begin + size) is about to be unmapped.
inline void NoteUnmapping(void* begin, size_t size) {
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder != nullptr) RecordUnmapping(recorder, begin, size);
}

// Runs `resize`, which gives `old` back and returns its successor of `size` bytes, or null and leaves `old` as it is.
template <typename Resize>
inline void* NoteResizing(void* old, size_t size, bool with_native, Resize resize) {
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder != nullptr && hook_thread.guard == 0 && recorder->MayBeLive(reinterpret_cast<uintptr_t>(old))) [[unlikely]] {
    const Recorder::Detached detached = RecordDetached(recorder, old);
    void* block = resize();
    RecordResized(recorder, detached, block, size, with_native);
    return block;
  }
  void* block = resize();
  NoteAllocated(block, size, with_native);
  return block;
}

}  // namespace memprof
