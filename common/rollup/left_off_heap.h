// Off-heap memory of an executor that no running task holds (proto::LeftOffHeap), as rows of the report.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/facts.h"
#include "report/model.h"

namespace memprof {

// When it was most, with the `most` heaviest sites; nothing: no message came, or there never was any.
std::optional<ReportLeftOffHeap> LeftOffHeapRow(const ExecutorFacts& facts, size_t most);

struct LeftOffHeapThen {
  int64_t time_ms = 0;
  std::vector<ReportSite> sites;  // heaviest first; further ones are one row without frames
};

// What the executor's last message said of it, as rows of a post-mortem. No sites: no message came, it is older than `since_ms` (of the
// driver's clock), or it has more than `most_bytes`, which all blocks together held later: then some were freed since.
LeftOffHeapThen LeftOffHeapSites(const ExecutorFacts& facts, int64_t since_ms, uint64_t most_bytes);
// Likewise, when it was most, unless that was before `since_ms`.
LeftOffHeapThen LeftOffHeapSitesAtPeak(const ExecutorFacts& facts, int64_t since_ms);

}  // namespace memprof
