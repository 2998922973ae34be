// How much of a time garbage collectors took: one way for tasks, stages and executors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace memprof {

// 0 to 100; nothing of no time. Spark's own metric counts concurrent cycles as a whole, which may overlap: more than all is all.
inline std::optional<double> GcPercent(uint64_t gc_ms, uint64_t of_ms) {
  if (of_ms == 0) return std::nullopt;
  return std::min(100.0, 100.0 * static_cast<double>(gc_ms) / static_cast<double>(of_ms));
}

}  // namespace memprof
