// The hooked functions of libc: the malloc family, in rows, and four more. Three things are made from these rows: `real`, the functions
// behind the hooks; the declarations of the hooks; and the GOT patcher's list (profiler.cc).
//
// Each hook calls the real function of the same name, then tells the recorder; results and errno are the real function's.
//
// Mappings: only anonymous ones are allocations. Files are page cache. PROT_NONE and MAP_NORESERVE only reserve addresses (mimalloc takes
// 1 GiB that way on first use, jemalloc all of its memory). Reservations are counted, but charged to no line, because an allocator's
// reserve does not belong to the line that happened to come first. Their pages are the pool of the library that reserved them
// (rss_rows.h). Memory that is mapped into them later is an ordinary block. A pool gives its pages back by madvise, often from a thread
// of its own and long before anybody allocates again: then they are measured while they are still there.
//
// malloc's own mappings don't come through here (glibc's calls don't pass the GOT), so nothing is counted twice.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "hooking/malloc_family.h"

// clang-format off
#define MEMPROF_HOOKED_FUNCTIONS(ROW) \
  MEMPROF_MALLOC_FAMILY(ROW) \
  ROW(mmap, HookMmap, false, void*, (void* address, size_t size, int protection, int flags, int file, off_t offset)) \
  ROW(munmap, HookMunmap, false, int, (void* address, size_t size)) \
  ROW(mremap, HookMremap, false, void*, (void* old, size_t old_size, size_t size, int flags, ...)) \
  ROW(madvise, HookMadvise, false, int, (void* address, size_t size, int advice))
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
