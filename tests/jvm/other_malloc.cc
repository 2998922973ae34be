// For LD_PRELOAD: stands for jemalloc. Its malloc is its own, and takes from glibc's what it gives.
#include <cstddef>

extern "C" {

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void __libc_free(void* block);

void* malloc(size_t bytes) { return __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return __libc_calloc(count, bytes); }
void* realloc(void* block, size_t bytes) { return __libc_realloc(block, bytes); }
void free(void* block) { __libc_free(block); }

}  // extern "C"
