// How large a heap may become: what the cluster grants, and what is beside it. Pure functions; bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advice/advice.h"

namespace memprof {

struct HeapBound {
  uint64_t heap = 0;  // the largest one, in whole MiB
  std::string by;     // "the host it ran on has 1.6 GiB at most"
};

// Nothing: no bound is known. `heap`: as it is now. Where settings size the container, its overhead grows with the heap as Spark computes
// it. Elsewhere nothing is reserved beside the heap: there must be room for what was measured, or for about what a JVM takes, and no
// standalone worker gives more than it has.
std::optional<HeapBound> LargestHeap(const AdviceInput& input, uint64_t heap);

}  // namespace memprof
