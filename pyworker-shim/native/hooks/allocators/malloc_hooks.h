// Replacements of the malloc family. C++'s operators new and delete need none: they call malloc and free. Each calls the real
// function of the same name, then calls the recorder; results and errno are the real function's.
#pragma once

#include <cstddef>

namespace memprof {

void* HookMalloc(size_t size) noexcept;
void* HookCalloc(size_t count, size_t size) noexcept;
void* HookRealloc(void* old, size_t size) noexcept;
void* HookReallocarray(void* old, size_t count, size_t size) noexcept;
int HookPosixMemalign(void** block, size_t alignment, size_t size) noexcept;
void* HookAlignedAlloc(size_t alignment, size_t size) noexcept;
void* HookMemalign(size_t alignment, size_t size) noexcept;
void* HookValloc(size_t size) noexcept;
void* HookPvalloc(size_t size) noexcept;
void HookFree(void* block) noexcept;
void HookFreeSized(void* block, size_t size) noexcept;
void HookFreeAlignedSized(void* block, size_t alignment, size_t size) noexcept;

}  // namespace memprof
