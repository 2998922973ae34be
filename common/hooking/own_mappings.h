// Libraries that map memory for themselves: allocators, of which further blocks then come, and OpenBLAS, which keeps a buffer of 32 MiB
// for each thread that multiplies matrices (BUFFER_SIZE of its common_x86_64.h; memory.c never unmaps one). Such a mapping is no block of
// the line that happened to be the first: it is the library's pool.
//
// Known by name, because such a mapping looks like any other: by the name under which it was loaded, or by that of the file to which links
// lead from there (conda-forge's libcblas.so.3, Debian's alternatives); links of folders don't count. HOOK, thread-safe.
#pragma once

#include <string_view>

#include "hooking/module_table.h"

namespace memprof {

// Of the library that called mmap. Links are followed once for each library.
bool MapsForItself(ModuleTable::Identity& library);

// By this path alone.
bool IsNameOfOwnMapper(std::string_view path);

}  // namespace memprof
