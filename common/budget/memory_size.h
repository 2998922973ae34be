// Memory sizes as Spark reads them (org.apache.spark.network.util.JavaUtils.byteStringAs): digits and an optional suffix
// of b, k, kb, m, mb, g, gb, t, tb, p, pb in any case; no fractions, no signs. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace memprof {

inline constexpr uint64_t kKib = 1024, kMib = 1024 * kKib, kGib = 1024 * kMib;

// `default_unit`: bytes a number without suffix counts in (spark.executor.memory: kMib; spark.memory.offHeap.size: 1).
// kInvalidArgument for anything Spark would refuse, and for sizes over 2^56 bytes.
Result<uint64_t> ParseMemorySize(std::string_view text, uint64_t default_unit);

}  // namespace memprof
