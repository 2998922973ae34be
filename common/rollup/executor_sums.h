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

struct StoreState;

struct ExecutorSums {
  uint64_t executors = 0;
  uint64_t running = 0;  // of these: not removed, with an agent
  std::optional<uint64_t> largest_used_bytes;
  std::optional<uint64_t> largest_python_bytes;      // of a process
  std::optional<uint64_t> largest_percent_of_limit;  // at the peak, whole percent, of those with a limit that is enforced

  // Its counters go to `counters`.
  void Add(const ExecutorFacts& executor, const StoreState& state, CounterSums& counters);
};

// Whole percent, as a gauge has it. `limit_bytes` is not 0.
uint64_t PercentOf(uint64_t used_bytes, uint64_t limit_bytes);

// The order in which executors have a row: by what their containers used at the peak, then by id.
using ExecutorById = std::pair<std::string_view, const ExecutorFacts*>;
bool UsedMore(const ExecutorById& one, const ExecutorById& other);

// Spark numbers executors; "driver" and other names have none.
std::optional<int64_t> ExecutorNumber(std::string_view id);

}  // namespace memprof
