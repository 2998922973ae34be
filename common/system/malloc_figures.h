// malloc's own figures. Takes the locks of its arenas and walks their free lists: never call it in a hook.
#pragma once

#include <cstdint>

namespace memprof {

struct MallocFigures {
  uint64_t in_use_bytes = 0;  // allocated, without blocks that have a mapping of their own
  uint64_t free_bytes = 0;    // held and not allocated
};

// All zero where libc doesn't say (before glibc 2.33).
MallocFigures ReadMallocFigures();

}  // namespace memprof
