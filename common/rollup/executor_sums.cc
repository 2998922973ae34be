#include "rollup/executor_sums.h"

#include <algorithm>
#include <charconv>

#include "rollup/executor_limit.h"
#include "rollup/parsed_snapshot.h"
#include "rollup/state.h"

namespace memprof {

namespace {

void PutLargest(std::optional<uint64_t> value, std::optional<uint64_t>& largest) {
  if (value) largest = std::max(largest.value_or(0), *value);
}

}  // namespace

uint64_t PercentOf(uint64_t used_bytes, uint64_t limit_bytes) {
  return static_cast<uint64_t>(100.0 * static_cast<double>(used_bytes) / static_cast<double>(limit_bytes));
}

void ExecutorSums::Add(const ExecutorFacts& executor, const StoreState& state, CounterSums& counters) {
  ++executors;
  PutLargest(executor.peak_used_bytes, largest_used_bytes);
  PutLargest(executor.peak_python_bytes, largest_python_bytes);
  const ParsedSnapshot snapshot(executor);
  const std::optional<uint64_t> limit = EnforcedLimit(executor, *snapshot, state);
  if (executor.peak_used_bytes && limit.value_or(0) != 0) {
    PutLargest(PercentOf(*executor.peak_used_bytes, *limit), largest_percent_of_limit);
  }
  if (!executor.removed && !snapshot->agent_loaded().empty()) ++running;
  for (const proto::Counter& counter : snapshot->counters()) {
    AddCounter(counter.name(), std::min(counter.value(), kMaxFigure), counters);
  }
}

bool UsedMore(const ExecutorById& one, const ExecutorById& other) {
  return std::pair(other.second->peak_used_bytes.value_or(0), one.first) < std::pair(one.second->peak_used_bytes.value_or(0), other.first);
}

std::optional<int64_t> ExecutorNumber(std::string_view id) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  bool canonical = error == std::errc() && end == id.data() + id.size() && number >= 0 && (id.size() == 1 || id[0] != '0');
  return canonical ? std::optional(number) : std::nullopt;
}

}  // namespace memprof
