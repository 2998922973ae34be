#include "allocators/arena_hooks.h"

#include <Python.h>

#include "allocators/hook_state.h"
#include "allocators/pymalloc_hooks.h"

namespace memprof {
namespace {

PyObjectArenaAllocator original_arenas;

void* AllocateArena(void*, size_t size) {
  const ReentryGuard guard(hook_thread);
  void* arena = original_arenas.alloc(original_arenas.ctx, size);
  if (arena == nullptr) {
    OnArenaRefused();
    return nullptr;
  }
  const auto begin = reinterpret_cast<uintptr_t>(arena);
  hook_state.regions.Add(begin, begin + size, RegionKind::kArena);
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
