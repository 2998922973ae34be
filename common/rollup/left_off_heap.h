// Off-heap memory of an executor's ended tasks, as its last words had it (proto::LeftOffHeap), as rows of a post-mortem.
#pragma once

#include <vector>

#include "facts/records.h"
#include "report/model.h"

namespace memprof {

// Heaviest first, then memory without a known site, as one row without frames. Messages from before `since_ms` are ignored.
std::vector<ReportSite> LeftOffHeapSites(const ExecutorRecord& record, int64_t since_ms);

}  // namespace memprof
