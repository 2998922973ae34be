#include "watch/victims.h"

#include <algorithm>
#include <tuple>

namespace memprof {

void SortLikeliestFirst(std::vector<WatchedProcess>* gone) {
  const auto order = [](const WatchedProcess& process) {
    const bool of_task = process.end && process.end->started_by_task;
    const bool is_leaf = process.kind == ProcessKind::kPythonWorker || process.kind == ProcessKind::kProgram;
    return std::tuple(!is_leaf, of_task, ~process.rss_bytes);
  };
  std::stable_sort(gone->begin(), gone->end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
}

bool MayHaveEndedByItself(const WatchedProcess& process) {
  const bool is_drivers_own = process.kind == ProcessKind::kPythonDriver && process.owner.pid == 0;
  return process.kind == ProcessKind::kProgram || is_drivers_own;
}

bool WasLargest(const WatchedProcess& process, const std::vector<WatchedProcess>& gone, const ProcessWatch& watch) {
  const uint64_t most_living = process.rss_bytes * (process.kind == ProcessKind::kPythonDriver ? 2 : 1);
  return std::all_of(gone.begin(), gone.end(), [&](const WatchedProcess& other) { return other.rss_bytes <= process.rss_bytes; }) &&
         std::all_of(watch.living().begin(), watch.living().end(),
                     [&](const auto& entry) { return entry.second.rss_bytes <= most_living; });
}

}  // namespace memprof
