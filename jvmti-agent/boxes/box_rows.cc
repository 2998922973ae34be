#include "boxes/box_rows.h"

#include <utility>
#include <vector>

namespace memprof {

std::optional<ProcessRows> RowsOf(const BoxReader& box) {
  Result<BoxRows> rows = box.ReadRows();
  if (!rows.ok()) return std::nullopt;
  return ProcessRows{box.identity().pid, box.identity().process_start_ticks, *std::move(rows)};
}

ProcessBaseline BaselineOf(const BoxIdentity& box, const BoxSession& process, const BoxSession& task) {
  ProcessBaseline found = {box.pid, box.process_start_ticks, {}};
  found.baseline.start_rss_bytes = process.rss_at_open_bytes;
  found.baseline.as_of_session = task.number;
  for (const BoxCounter& counter : task.counters) {
    if (counter.name == kFirstTaskRssCounter) found.baseline.first_task_rss_bytes = counter.value;
  }
  // What a closed session leaves live has become the process's.
  std::vector<const BoxSession*> sessions = {&process};
  if (!task.closed) sessions.push_back(&task);
  found.baseline.modules = ImportedModulesOf(sessions);
  return found;
}

}  // namespace memprof
