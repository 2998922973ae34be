// Off-heap memory of an executor's ended tasks, as its last words had it (proto::LeftOffHeap), as rows of a post-mortem.
#pragma once

#include <vector>

#include "facts/records.h"
#include "report/model.h"

namespace memprof {

// Heaviest first, then what no site is known of, as one row without frames; `since_ms`: older words are none.
std::vector<ReportSite> LeftOffHeapSites(const ExecutorRecord& record, int64_t since_ms);

}  // namespace memprof
