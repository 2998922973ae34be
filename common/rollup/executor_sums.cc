#include "rollup/executor_sums.h"

#include <algorithm>
#include <charconv>

namespace memprof {
namespace {

std::optional<uint64_t> PeakUseOf(const proto::ExecutorSnapshot& snapshot) {
  return snapshot.has_at_peak() ? std::optional(snapshot.at_peak().used_bytes()) : std::nullopt;
}

}  // namespace

proto::ExecutorSnapshot SnapshotOf(const ExecutorFacts& executor) {
  proto::ExecutorSnapshot snapshot;
  if (!snapshot.ParseFromArray(executor.snapshot.data(), static_cast<int>(executor.snapshot.size()))) snapshot.Clear();
  return snapshot;
}

void ExecutorSums::Add(std::optional<uint64_t> used_bytes) {
  ++executors;
  if (used_bytes) largest_used_bytes = std::max(largest_used_bytes.value_or(0), *used_bytes);
}

void ExecutorSums::Add(const ExecutorFacts& executor, CounterSums& counters) {
  const proto::ExecutorSnapshot snapshot = SnapshotOf(executor);
  Add(PeakUseOf(snapshot));
  for (const proto::Counter& counter : snapshot.counters()) {
    AddCounter(counter.name(), std::min(counter.value(), kMaxFigure), counters);
  }
}

std::optional<uint64_t> PeakUseOf(const ExecutorFacts& executor) { return PeakUseOf(SnapshotOf(executor)); }

std::optional<int64_t> ExecutorNumber(std::string_view id) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  bool canonical = error == std::errc() && end == id.data() + id.size() && number >= 0 && (id.size() == 1 || id[0] != '0');
  return canonical ? std::optional(number) : std::nullopt;
}

}  // namespace memprof
