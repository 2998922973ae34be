// ExecutorSums: executors without rows of their own, like stage_sums.h for stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "facts/counters.h"
#include "facts/facts.h"
#include "proto/memprof.pb.h"
#include "report/model.h"

namespace memprof {

struct ExecutorSums {
  uint64_t executors = 0;
  std::optional<uint64_t> largest_used_bytes;

  void Add(std::optional<uint64_t> used_bytes);
  void Add(const ExecutorFacts& executor, CounterSums& counters);  // its counters go to `counters`
};

// What the executor's agent sent last; empty: nothing came.
proto::ExecutorSnapshot SnapshotOf(const ExecutorFacts& executor);

// Bytes the executor's container used at its peak, if that was measured.
std::optional<uint64_t> PeakUseOf(const ExecutorFacts& executor);

// Spark numbers executors; "driver" and other names have none.
std::optional<int64_t> ExecutorNumber(std::string_view id);

}  // namespace memprof
