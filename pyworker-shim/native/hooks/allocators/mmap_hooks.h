// Replacements of the calls that make and unmake anonymous mappings. Files are page cache, not allocations; PROT_NONE and
// MAP_NORESERVE only reserve addresses (mimalloc takes 1 GiB that way on first use, jemalloc all it ever takes): those are
// counted, and charged to no line, for what an allocator takes in advance isn't the line's that came first. Their pages are
// the pool of the library that reserved them (rss_rows.h); what is mapped into them later is a block like any other.
// malloc's own mappings don't come through here (glibc's calls don't pass the GOT), so nothing is counted twice.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace memprof {

void* HookMmap(void* address, size_t size, int protection, int flags, int file, off_t offset) noexcept;
int HookMunmap(void* address, size_t size) noexcept;
// The last argument is only there (and only read) with MREMAP_FIXED or MREMAP_DONTUNMAP.
void* HookMremap(void* old, size_t old_size, size_t size, int flags, void* target) noexcept;

}  // namespace memprof
