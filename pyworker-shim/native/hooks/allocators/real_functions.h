// The functions behind the hooks, by the addresses that the GOT patcher has found. Never called by name: see got_patcher.h.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace memprof {

struct RealFunctions {
  void* (*malloc)(size_t);
  void (*free)(void*);
  void (*free_sized)(void*, size_t);
  void (*free_aligned_sized)(void*, size_t, size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void* (*reallocarray)(void*, size_t, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  void* (*memalign)(size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
  void* (*mmap)(void*, size_t, int, int, int, off_t);
  int (*munmap)(void*, size_t);
  void* (*mremap)(void*, size_t, size_t, int, ...);
};
extern RealFunctions real;  // set before any hook is in place, and never again

}  // namespace memprof
