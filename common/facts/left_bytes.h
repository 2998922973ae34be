// The sum of a message about off-heap or native memory that no running task holds.
#pragma once

#include <cstdint>

#include "proto/memprof.pb.h"

namespace memprof {

inline uint64_t LeftBytes(const proto::LeftMemory& message) {
  uint64_t bytes = message.other_bytes();
  for (const proto::LeftSite& site : message.sites()) bytes += site.bytes();
  return bytes;
}

}  // namespace memprof
