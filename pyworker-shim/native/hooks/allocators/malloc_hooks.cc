// Replacements of the malloc family. Aligned ones also refuse an alignment that is no power of two, with EINVAL: no memory is missing then.
#include <cerrno>

#include "allocators/hooked_functions.h"
#include "allocators/note.h"

namespace memprof {

void* HookMalloc(size_t size) noexcept {
  return NoteAllocating(size, true, [size] { return real.malloc(size); });
}

void* HookCalloc(size_t count, size_t size) noexcept {
  void* block = real.calloc(count, size);
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return block;  // null
  NoteAllocated(block, bytes, true);
  return block;
}

void* HookRealloc(void* old, size_t size) noexcept {
  if (old != nullptr && size == 0) {  // glibc frees the block
    NoteFreeing(old);
    return real.realloc(old, size);
  }
  return NoteResizing(old, size, true, [=] { return real.realloc(old, size); });
}

void* HookReallocarray(void* old, size_t count, size_t size) noexcept {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return real.reallocarray(old, count, size);  // fails
  return HookRealloc(old, bytes);  // like libc's own, which calls realloc through its patched pointer
}

int HookPosixMemalign(void** block, size_t alignment, size_t size) noexcept {
  const int error = real.posix_memalign(block, alignment, size);
  if (error == 0) {
    NoteAllocated(*block, size, true);
  } else if (error == ENOMEM) {
    RecordRefused(size, true);
  }
  return error;
}

void* HookAlignedAlloc(size_t alignment, size_t size) noexcept {
  void* block = real.aligned_alloc(alignment, size);
  if (block != nullptr || errno == ENOMEM) NoteAllocated(block, size, true);
  return block;
}

void* HookMemalign(size_t alignment, size_t size) noexcept {
  void* block = real.memalign(alignment, size);
  if (block != nullptr || errno == ENOMEM) NoteAllocated(block, size, true);
  return block;
}

void* HookValloc(size_t size) noexcept {
  void* block = real.valloc(size);
  NoteAllocated(block, size, true);
  return block;
}

void* HookPvalloc(size_t size) noexcept {
  void* block = real.pvalloc(size);
  NoteAllocated(block, size, true);
  return block;
}

void HookFree(void* block) noexcept {
  NoteFreeing(block, [block] { real.free(block); });
}

void HookFreeSized(void* block, size_t size) noexcept {
  NoteFreeing(block, [=] { real.free_sized(block, size); });
}

void HookFreeAlignedSized(void* block, size_t alignment, size_t size) noexcept {
  NoteFreeing(block, [=] { real.free_aligned_sized(block, alignment, size); });
}

}  // namespace memprof
