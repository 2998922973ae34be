// What a Python process's resident memory was made of at its peak, as it has measured itself (blackbox/box_reader.h).
// Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>

#include "blackbox/box_reader.h"

namespace memprof {

struct ProcessRows {
  int32_t pid = 0;
  uint64_t start_ticks = 0;
  BoxRows rows;
};

// Nothing when the process has measured none.
std::optional<ProcessRows> RowsOf(const BoxReader& box);

}  // namespace memprof
