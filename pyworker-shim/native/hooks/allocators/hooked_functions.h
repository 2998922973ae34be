// The hooked functions of libc, one row each: name, hook, whether it may be missing, and the type of both. Three things are made from
// these rows: `real`, the functions behind the hooks; the declarations of the hooks; and the GOT patcher's list (profiler.cc).
//
// Each hook calls the real function of the same name, then tells the recorder; results and errno are the real function's. C++'s operators
// new and delete need none: they call malloc and free.
//
// Mappings: only anonymous ones are allocations. Files are page cache. PROT_NONE and MAP_NORESERVE only reserve addresses (mimalloc takes
// 1 GiB that way on first use, jemalloc all of its memory). Reservations are counted, but charged to no line, because an allocator's
// reserve does not belong to the line that happened to come first. Their pages are the pool of the library that reserved them
// (rss_rows.h). Memory that is mapped into them later is an ordinary block. malloc's own mappings don't come through here (glibc's calls
// don't pass the GOT), so nothing is counted twice.
#pragma once

#include <sys/types.h>

#include <cstddef>

// free_sized and free_aligned_sized are of C23: where libc or a preloaded allocator has them.
// clang-format off
#define MEMPROF_HOOKED_FUNCTIONS(ROW) \
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
  ROW(pvalloc, HookPvalloc, false, void*, (size_t size)) \
  ROW(mmap, HookMmap, false, void*, (void* address, size_t size, int protection, int flags, int file, off_t offset)) \
  ROW(munmap, HookMunmap, false, int, (void* address, size_t size)) \
  ROW(mremap, HookMremap, false, void*, (void* old, size_t old_size, size_t size, int flags, ...))
// clang-format on

namespace memprof {

// The functions' addresses, as the GOT patcher found them. Never call them by name: see got_patcher.h.
struct RealFunctions {
#define MEMPROF_REAL(name, hook, may_be_missing, result, parameters) result(*name) parameters;
  MEMPROF_HOOKED_FUNCTIONS(MEMPROF_REAL)
#undef MEMPROF_REAL
};
extern RealFunctions real;  // set once, before any hook is installed

#define MEMPROF_HOOK(name, hook, may_be_missing, result, parameters) result hook parameters noexcept;
MEMPROF_HOOKED_FUNCTIONS(MEMPROF_HOOK)
#undef MEMPROF_HOOK

}  // namespace memprof
