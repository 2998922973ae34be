#include "allocators/arena_hooks.h"

#include <Python.h>

#include "allocators/hook_state.h"
#include "allocators/note.h"
#include "allocators/pymalloc_hooks.h"
#include "base/clock.h"

namespace memprof {
namespace {

PyObjectArenaAllocator original_arenas;

constexpr int64_t kRecordedEveryNs = 100'000'000;
int64_t next_record_ns = 0;  // under the GIL

// A job of many small objects ends this way. pymalloc asks again for each object, so not every refusal is recorded.
void NoteRefused(size_t size) {
  OnArenaRefused();
  const int64_t now = MonotonicNs();
  if (now < next_record_ns) return;
  next_record_ns = now + kRecordedEveryNs;
  RecordArenaRefused(size);
}

void* AllocateArena(void*, size_t size) {
  void* arena = nullptr;
  {
    const ReentryGuard guard(hook_thread);
    arena = original_arenas.alloc(original_arenas.ctx, size);
    const auto begin = reinterpret_cast<uintptr_t>(arena);
    if (arena != nullptr) hook_state.regions.Add(begin, begin + size, RegionKind::kArena);
  }
  if (arena == nullptr) NoteRefused(size);
  return arena;
}

void FreeArena(void*, void* arena, size_t size) {
  {
    const ReentryGuard guard(hook_thread);
    const auto begin = reinterpret_cast<uintptr_t>(arena);
    hook_state.regions.Remove(begin, begin + size);  // first: afterwards it may be another thread's
  }
  original_arenas.free(original_arenas.ctx, arena, size);
}

}  // namespace

void InstallArenaHooks() {
  PyObjectArenaAllocator current;
  PyObject_GetArenaAllocator(&current);
  if (current.alloc == AllocateArena || original_arenas.alloc != nullptr) return;
  original_arenas = current;
  PyObjectArenaAllocator wrapper = {nullptr, AllocateArena, FreeArena};
  PyObject_SetArenaAllocator(&wrapper);
}

}  // namespace memprof
