// Replacements of the calls that make and remove anonymous mappings. Files are page cache, not allocations. PROT_NONE and
// MAP_NORESERVE only reserve addresses (mimalloc reserves 1 GiB on first use, jemalloc all that it ever uses). Reservations are
// counted, but charged to no line, because the line that happened to be first is not the one that uses them. Their pages are the
// pool of the library that reserved them (rss_rows.h); a later mapping inside them is an ordinary block. malloc's own mappings
// don't come through here (glibc's calls don't pass the GOT), so nothing is counted twice.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace memprof {

void* HookMmap(void* address, size_t size, int protection, int flags, int file, off_t offset) noexcept;
int HookMunmap(void* address, size_t size) noexcept;
// The last argument is only there (and only read) with MREMAP_FIXED or MREMAP_DONTUNMAP.
void* HookMremap(void* old, size_t old_size, size_t size, int flags, void* target) noexcept;

}  // namespace memprof
