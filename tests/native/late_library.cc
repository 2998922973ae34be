// Two libraries of the same functions: `outer` finds `inner` beside itself by its RUNPATH alone, and calls into it.
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#define LATE extern "C" __attribute__((visibility("default"), noinline))

#ifdef LATE_INNER

LATE void* late_malloc_inner(size_t size) {
  void* block = malloc(size);
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}
LATE int late_which() { return 2; }

#else

LATE void* late_malloc_inner(size_t size);

LATE void* late_malloc_outer(size_t size) {
  void* block = malloc(size);
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}
LATE void* late_malloc_below(size_t size) {
  void* block = late_malloc_inner(size);
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}
LATE int late_which() { return 1; }
// What comes after this library: goes by the address from which dlsym was called.
LATE int late_next() {
  void* next = dlsym(RTLD_NEXT, "late_which");
  return next == nullptr ? 0 : reinterpret_cast<int (*)()>(next)();
}

#endif
