// How a hook records a call: the fast half, inlined into every hook. A block that isn't sampled costs a subtraction and a
// comparison; freeing a block that isn't followed costs one load. The slow half is note.cc.
//
// Where possible, a hook decides before it calls the real function, so that it ends in a jump to it and needs no stack frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include "allocators/hook_state.h"

namespace memprof {

// HOOK, slow halves. errno is kept.
__attribute__((noinline, cold)) void RecordAllocated(void* block, size_t size, bool with_native);
__attribute__((noinline, cold)) void RecordFreeing(void* block);
__attribute__((noinline, cold)) Recorder::Detached RecordDetached(Recorder* recorder, void* block, size_t size);
__attribute__((noinline, cold)) Recorder::Detached RecordDetachedRange(Recorder* recorder, void* begin, size_t size);
__attribute__((noinline, cold)) void RecordResized(Recorder* recorder, const Recorder::Detached& old, void* block, size_t size,
                                                   bool with_native);
__attribute__((noinline, cold)) void RecordUnmapping(Recorder* recorder, void* begin, size_t size);
__attribute__((noinline, cold)) void RecordDropping(Recorder* recorder, size_t size);
// Memory was requested and refused (refusals.cc).
__attribute__((noinline, cold)) void RecordRefused(size_t size, bool with_native);
// Likewise for an arena of pymalloc's. The hook's guard may be held: pymalloc was called by our own wrapper.
__attribute__((noinline, cold)) void RecordArenaRefused(size_t size);

inline bool IsSampled(size_t size) {
  HookThread& thread = hook_thread;
  return thread.guard == 0 && thread.sampler.Crosses(size);
}

// Calls inside the real function are not counted separately.
template <typename Allocate>
__attribute__((noinline, cold)) void* AllocateSampled(size_t size, bool with_native, Allocate allocate) {
  void* block;
  {
    const ReentryGuard guard(hook_thread);
    block = allocate();
  }
  if (block != nullptr) {
    RecordAllocated(block, size, with_native);
  } else {
    hook_thread.sampler.TakeBack(size);
    RecordRefused(size, with_native);
  }
  return block;
}

// Runs `allocate`, which returns a block of `size` bytes or null. `with_native`: as below.
template <typename Allocate>
inline void* NoteAllocating(size_t size, bool with_native, Allocate allocate) {
  if (IsSampled(size)) [[unlikely]]
    return AllocateSampled(size, with_native, allocate);
  return allocate();
}

// A block was obtained (or not: null). `with_native`: its stack shows the native frames below the Python line.
inline void NoteAllocated(void* block, size_t size, bool with_native) {
  if (block == nullptr) [[unlikely]]
    return RecordRefused(size, with_native);
  if (IsSampled(size)) [[unlikely]]
    RecordAllocated(block, size, with_native);
}

// A block is about to be freed.
inline void NoteFreeing(void* block) {
  if (hook_state.MayBeLive(block)) [[unlikely]]
    RecordFreeing(block);
}

template <typename Free>
__attribute__((noinline, cold)) void FreeFollowed(void* block, Free free) {
  RecordFreeing(block);
  free();
}

// Runs `free`, which frees the block.
template <typename Free>
inline void NoteFreeing(void* block, Free free) {
  if (hook_state.MayBeLive(block)) [[unlikely]]
    return FreeFollowed(block, free);
  free();
}

// [begin, begin + size) is about to be unmapped.
inline void NoteUnmapping(void* begin, size_t size) {
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder != nullptr) RecordUnmapping(recorder, begin, size);
}

// The pages of so many bytes are about to be given back; their mapping stays.
inline void NoteDropping(size_t size) {
  Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
  if (recorder != nullptr) RecordDropping(recorder, size);
}

// Runs `resize`, which frees `old` and returns its successor of `size` bytes, or returns null and leaves `old` as it is.
template <typename Resize>
inline void* NoteResizing(void* old, size_t size, bool with_native, Resize resize) {
  if (hook_thread.guard == 0 && hook_state.MayBeLive(old)) [[unlikely]] {
    Recorder* recorder = hook_state.recorder.load(std::memory_order_acquire);
    if (recorder == nullptr) return resize();
    const Recorder::Detached detached = RecordDetached(recorder, old, size);
    void* block = resize();
    RecordResized(recorder, detached, block, size, with_native);
    if (block == nullptr) RecordRefused(size, with_native);
    return block;
  }
  void* block = resize();
  NoteAllocated(block, size, with_native);
  return block;
}

}  // namespace memprof
