// A process, by its pid and when it was started (field 22 of /proc/pid/stat). Thread-safe (no state).
#pragma once

#include <compare>
#include <cstdint>

#include "blackbox/box_reader.h"

namespace memprof {

struct ProcessName {
  int32_t pid = 0;
  uint64_t start_ticks = 0;

  auto operator<=>(const ProcessName&) const = default;
};

inline ProcessName NameOf(const BoxIdentity& box) { return {box.pid, box.process_start_ticks}; }

}  // namespace memprof
