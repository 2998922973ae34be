// What malloc says of itself. Takes the locks of its arenas and walks their free lists: never in a hook.
#pragma once

#include <cstdint>

namespace memprof {

struct MallocFigures {
  uint64_t in_use_bytes = 0;  // handed out, but for blocks with a mapping of their own
  uint64_t free_bytes = 0;    // held and not handed out
};

// All zero where libc doesn't say (before glibc 2.33).
MallocFigures ReadMallocFigures();

}  // namespace memprof
