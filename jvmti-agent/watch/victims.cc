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

bool WasLargest(const WatchedProcess& program, const std::vector<WatchedProcess>& gone, const ProcessWatch& watch) {
  const auto smaller = [&](const WatchedProcess& other) { return other.rss_bytes <= program.rss_bytes; };
  return std::all_of(gone.begin(), gone.end(), smaller) &&
         std::all_of(watch.living().begin(), watch.living().end(), [&](const auto& entry) { return smaller(entry.second); });
}

}  // namespace memprof
