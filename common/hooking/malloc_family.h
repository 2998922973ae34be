// The functions by which a library takes memory from malloc and gives it back, one row each: name, hook, whether it may be missing, and
// the type of both. Who hooks them makes three things of these rows: the functions behind the hooks, the declarations of the hooks,
// and the GOT patcher's list. C++'s operators new and delete need none: libstdc++'s call malloc and free.
#pragma once

#include <cstddef>

// free_sized and free_aligned_sized are of C23: where libc or a preloaded allocator has them.
// clang-format off
#define MEMPROF_MALLOC_FAMILY(ROW) \
  ROW(malloc, HookMalloc, false, void*, (size_t size)) \
  ROW(free, HookFree, false, void, (void* block)) \
  ROW(free_sized, HookFreeSized, true, void, (void* block, size_t size)) \
  ROW(free_aligned_sized, HookFreeAlignedSized, true, void, (void* block, size_t alignment, size_t size)) \
  ROW(calloc, HookCalloc, false, void*, (size_t count, size_t size)) \
  ROW(realloc, HookRealloc, false, void*, (void* old, size_t size)) \
  ROW(reallocarray, HookReallocarray, false, void*, (void* old, size_t count, size_t size)) \
  ROW(posix_memalign, HookPosixMemalign, false, int, (void** block, size_t alignment, size_t size)) \
  ROW(aligned_alloc, HookAlignedAlloc, false, void*, (size_t alignment, size_t size)) \
  ROW(memalign, HookMemalign, false, void*, (size_t alignment, size_t size)) \
  ROW(valloc, HookValloc, false, void*, (size_t size)) \
  ROW(pvalloc, HookPvalloc, false, void*, (size_t size))
// clang-format on
