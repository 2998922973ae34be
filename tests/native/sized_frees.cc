// What C23 has added to malloc's family, for a libc that hasn't got it yet: preloaded, as a newer allocator would be. Frees by libc's
// internal name, past every hook on free(). And who calls it.
#include <cstddef>

extern "C" {

void __libc_free(void* block);

#ifdef SIZED_FREES
__attribute__((visibility("default"))) void free_sized(void* block, size_t) { __libc_free(block); }
__attribute__((visibility("default"))) void free_aligned_sized(void* block, size_t, size_t) { __libc_free(block); }
#else
void free_sized(void* block, size_t size);
void free_aligned_sized(void* block, size_t alignment, size_t size);

__attribute__((visibility("default"))) void exact_free_sized(void* block, size_t size) {
  free_sized(block, size);
  asm volatile("" : : : "memory");
}
__attribute__((visibility("default"))) void exact_free_aligned_sized(void* block, size_t size) {
  free_aligned_sized(block, 64, size);
  asm volatile("" : : : "memory");
}
#endif

}  // extern "C"
