// Libraries that map memory for themselves: allocators, of which further blocks then come, and OpenBLAS, which keeps a buffer of 32 MiB
// for each thread that multiplies matrices (BUFFER_SIZE of its common_x86_64.h; memory.c never unmaps one). Such a mapping is no block of
// the line that happened to be the first: it is the library's pool.
//
// Known by name, because such a mapping looks like any other. HOOK, thread-safe.
#pragma once

#include <string_view>

namespace memprof {

// `path`: of the library that called mmap, as the loader has it. Links are not followed.
bool MapsForItself(std::string_view path);

}  // namespace memprof
