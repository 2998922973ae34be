// Sites over all processes of a container at their last sample: the last profiles of the tasks that ran there, put together.
// Live bytes of tasks that ran at once add up, for they were held at once.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/named_stacks.h"
#include "facts/records.h"
#include "report/model.h"

namespace memprof {

struct LastTask {
  int64_t task_attempt_id = 0;
  const TaskRecord* task = nullptr;
  uint64_t live_bytes = 0;  // of all its sites with such a figure
};

uint64_t LiveBytesOf(const TaskProfileRecord& profile);

// By live bytes, descending, at most `most`; then what has no such figure (a JVM's heap), by bytes allocated.
// `awaits_names` becomes true when one of them awaits one.
std::vector<ReportSite> SitesAtLastSample(const std::vector<LastTask>& tasks, const Interner& interner, const NamedStacks& stacks,
                                          size_t most, bool& awaits_names);

}  // namespace memprof
