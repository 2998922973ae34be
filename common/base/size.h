// Sizes as people write them in options. Cold: never called from hooks.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace memprof {

inline constexpr uint64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

// "512k", "64KiB", "4096", "1g", "2 TB" (powers of 1024 throughout, as Spark reads them; case does not matter; a plain
// number is bytes) to bytes. An error names the text and says why: not a number, unknown unit, or beyond 64 bits.
Result<uint64_t> ParseSize(std::string_view text);

}  // namespace memprof
