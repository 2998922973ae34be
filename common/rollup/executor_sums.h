// ExecutorSums: executors without rows of their own, like stage_sums.h for stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "facts/counters.h"
#include "facts/facts.h"
#include "report/model.h"

namespace memprof {

struct ExecutorSums {
  uint64_t executors = 0;
  std::optional<uint64_t> largest_used_bytes;

  void Add(std::optional<uint64_t> used_bytes);
  void Add(const ExecutorFacts& executor, CounterSums& counters);  // its counters go to `counters`
};

// The order in which executors have a row: by what their containers used at the peak, then by id.
using ExecutorById = std::pair<std::string_view, const ExecutorFacts*>;
bool UsedMore(const ExecutorById& one, const ExecutorById& other);

// Spark numbers executors; "driver" and other names have none.
std::optional<int64_t> ExecutorNumber(std::string_view id);

}  // namespace memprof
