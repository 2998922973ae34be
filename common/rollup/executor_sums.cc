#include "rollup/executor_sums.h"

#include <algorithm>
#include <charconv>

#include "rollup/parsed_snapshot.h"

namespace memprof {

void ExecutorSums::Add(std::optional<uint64_t> used_bytes) {
  ++executors;
  if (used_bytes) largest_used_bytes = std::max(largest_used_bytes.value_or(0), *used_bytes);
}

void ExecutorSums::Add(const ExecutorFacts& executor, CounterSums& counters) {
  Add(executor.peak_used_bytes);
  const ParsedSnapshot snapshot(executor);
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
