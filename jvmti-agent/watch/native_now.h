// What a Python process's native libraries hold now, by the rows that it has measured of itself (docs/report.md). Pure function.
#pragma once

#include <cstdint>
#include <optional>

#include "watch/process_watch.h"

namespace memprof {

// Bytes, resident: live blocks of libraries, and their own pools. Nothing of a process that isn't profiled, nor where its memory has
// fallen by more than a tenth since it was measured: it is only measured while it grows.
std::optional<uint64_t> NativeNow(const WatchedProcess& process);

}  // namespace memprof
