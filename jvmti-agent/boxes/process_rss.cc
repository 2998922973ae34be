#include "boxes/process_rss.h"

#include <utility>
#include <vector>

namespace memprof {

std::optional<ProcessRss> RssOf(const BoxReader& box) {
  Result<RssRows> rows = box.ReadRssRows();
  if (!rows.ok()) return std::nullopt;
  return ProcessRss{NameOf(box.identity()), *std::move(rows)};
}

ProcessBaseline BaselineOf(const BoxIdentity& box, const BoxSession& process, const BoxSession& task) {
  ProcessBaseline found = {NameOf(box), {}};
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
