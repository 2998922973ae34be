#include "rollup/short_executors.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "rollup/executor_sums.h"
#include "rollup/parsed_snapshot.h"
#include "rollup/time_lines.h"

namespace memprof {
namespace {

struct Removed {
  std::string_view id;
  ExecutorFacts* executor;
};

std::vector<Removed> AllBut(WholeExecutors whole, StoreState& state) {
  std::vector<Removed> removed;
  for (auto& [id, executor] : state.executors) {
    if (executor.removed) removed.push_back({id, &executor});
  }
  auto rest = removed.begin();
  const auto leave_out = [&](size_t count, auto before) {
    const auto border = rest + static_cast<ptrdiff_t>(std::min(count, static_cast<size_t>(removed.end() - rest)));
    std::nth_element(rest, border, removed.end(), before);
    rest = border;
  };
  leave_out(whole.rows, [](const Removed& a, const Removed& b) { return UsedMore({a.id, a.executor}, {b.id, b.executor}); });
  // As a report chooses its post-mortems: of those that are equal in one thing the newer.
  const auto newer = [](const Removed& each) { return std::tuple(each.executor->removed_ms, each.id); };
  leave_out(whole.deaths, [&](const Removed& a, const Removed& b) { return newer(a) > newer(b); });
  const auto larger = [&](const Removed& each) { return std::tuple(each.executor->last_used_bytes.value_or(0), newer(each)); };
  leave_out(whole.deaths, [&](const Removed& a, const Removed& b) { return larger(a) > larger(b); });
  removed.erase(removed.begin(), rest);
  return removed;
}

bool Free(std::pmr::string& bytes) {
  const bool any = !bytes.empty();
  bytes.clear();
  bytes.shrink_to_fit();
  return any;
}

// The container's use at its peak is in the sums of executors without a row, and counters are the application's.
bool ShortenSnapshot(ExecutorFacts& executor) {
  const ParsedSnapshot snapshot(executor);
  snapshot->clear_processes();
  snapshot->clear_spark_pools();
  snapshot->clear_collectors();
  snapshot->clear_not_available();
  if (snapshot->has_last() && snapshot->has_at_peak()) {  // without a last moment the peak stands for it
    snapshot->mutable_at_peak()->clear_processes();
    snapshot->mutable_at_peak()->clear_regions();
    snapshot->mutable_at_peak()->clear_active_tasks();
  }
  const std::string bytes = snapshot->SerializeAsString();
  if (bytes.size() >= executor.snapshot.size()) return false;
  executor.snapshot = bytes;
  executor.snapshot.shrink_to_fit();
  return true;
}

bool Shorten(ExecutorFacts& executor) {
  bool shorter = ShortenSnapshot(executor);
  if (executor.life) {
    if (!executor.life->all().empty()) executor.least_used_lately = LeastUsedLately(executor, executor.life->all().back().time_ms);
    executor.life.reset();
    shorter = true;
  }
  for (LeftMessages* left : {&executor.left_off_heap, &executor.left_native}) {
    for (std::pmr::string* bytes : {&left->latest, &left->peak}) shorter |= Free(*bytes);
  }
  return shorter;
}

template <typename Change>
size_t CountChanged(WholeExecutors whole, StoreState& state, Change change) {
  const std::vector<Removed> others = AllBut(whole, state);
  return static_cast<size_t>(std::count_if(others.begin(), others.end(), [&](const Removed& each) { return change(*each.executor); }));
}

}  // namespace

size_t ShortenExecutors(WholeExecutors whole, StoreState& state) { return CountChanged(whole, state, Shorten); }

size_t DropRetained(WholeExecutors whole, StoreState& state) {
  const size_t dropped = CountChanged(whole, state, [](ExecutorFacts& executor) { return Free(executor.retained); });
  state.dropped_retained_heaps += dropped;
  return dropped;
}

}  // namespace memprof
