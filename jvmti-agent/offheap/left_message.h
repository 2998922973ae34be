// Builds the message about off-heap or native memory that no running task holds (proto::LeftMemory), cut to size: the heaviest sites, the
// rest as one sum. Pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "offheap/left_site.h"
#include "proto/memprof.pb.h"
#include "stacks/message_names.h"

namespace memprof {

inline constexpr size_t kMaxLeftBytes = 8 << 10;  // of the message

// `sites`: heaviest first. `native`: the names that are known of native frames.
proto::LeftMemory BuildLeft(const std::vector<LeftSite>& sites, int64_t time_ms, const NativeNamesAt& native = {},
                            size_t max_bytes = kMaxLeftBytes);

}  // namespace memprof
