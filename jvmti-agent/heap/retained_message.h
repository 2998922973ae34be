// Builds the message about what the heap retains (proto::RetainedHeap), cut to size: the heaviest sites, the rest as one sum.
// Pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gc/marking_watch.h"
#include "heap/live_objects.h"
#include "proto/memprof.pb.h"

namespace memprof {

struct RetainedInputs {
  Marking marking;
  int64_t time_ms = 0;  // epoch, of the marking
  uint64_t interval_bytes = 0;
  std::vector<RetainedSite> sites;                   // heaviest first
  std::function<std::string(uint32_t)> thread_name;  // of a bucket
};

inline constexpr size_t kMaxRetainedBytes = 16 << 10;  // of the message

// Retained bytes can't exceed the heap's use. Where the sum of the samples is above it, the sites are reduced in proportion to their
// variances: what is known exactly stays as it is.
proto::RetainedHeap BuildRetained(const RetainedInputs& inputs, size_t max_bytes = kMaxRetainedBytes);

}  // namespace memprof
