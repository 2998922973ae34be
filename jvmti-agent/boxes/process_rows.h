// What a Python process's resident memory was made of at its peak, as it has measured itself (blackbox/box_reader.h), and
// its baseline (profile/import_baseline.h).
// Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>

#include "blackbox/box_reader.h"
#include "profile/import_baseline.h"

namespace memprof {

struct ProcessRows {
  int32_t pid = 0;
  uint64_t start_ticks = 0;
  BoxRows rows;
};

struct ProcessBaseline {
  int32_t pid = 0;
  uint64_t start_ticks = 0;
  ImportBaseline baseline;
};

// Nothing when the process has measured none.
std::optional<ProcessRows> RowsOf(const BoxReader& box);
// `task`: a session of the process that has just been read. Nothing when the box can't be read any more.
std::optional<ProcessBaseline> BaselineOf(const BoxReader& box, const BoxSession& task);

}  // namespace memprof
