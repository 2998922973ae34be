// Replacements of the malloc family in JNI libraries: the fast half. A block that isn't sampled costs a subtraction and a comparison
// beside the real call; freeing a block that isn't followed costs one load.
//
// Each hook calls the real function, by the address that the GOT patcher found, then tells the LibraryMalloc. Results and errno are the
// real function's. Rust's default allocator needs none of its own: it calls malloc and free.
// Memory that a library maps itself (mmap; allocators that are built into it) isn't seen.
#pragma once

#include <cstddef>

#include "hooking/got_patcher.h"

namespace memprof {

class LibraryMalloc;

struct MallocHooks {
  const GotHook* hooks;
  size_t count;
};
MallocHooks MallocHookList();

// From now on new blocks are recorded, with the sink's interval as it is now; what threads have counted is discarded. And no more: blocks
// that are followed already are seen being freed. For one thread at a time.
void BeginToRecord();
void RecordNoMore();

// The hooks only call the real functions from now on, on the current thread.
void PassOnInThisThread();

// What the hooks report to, for ever. Before anything is redirected.
void SetMallocHooksSink(LibraryMalloc* sink);

}  // namespace memprof
