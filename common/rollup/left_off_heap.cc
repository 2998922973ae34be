#include "rollup/left_off_heap.h"

#include <algorithm>
#include <cmath>

#include "proto/memprof.pb.h"
#include "rollup/retained.h"

namespace memprof {

std::vector<ReportSite> LeftOffHeapSites(const ExecutorRecord& record, int64_t since_ms) {
  proto::LeftOffHeap message;
  const std::pmr::string& bytes = record.left_off_heap;
  if (bytes.empty() || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return {};
  if (message.time_ms() < since_ms) return {};
  std::vector<ReportSite> rows;
  for (const proto::LeftSite& site : message.sites()) {
    ReportSite& row = rows.emplace_back();
    row.origin = Origin::kJvmOffHeap;
    row.tasks = site.tasks();
    row.allocated_bytes = site.bytes();
    row.allocations = site.blocks();
    row.live_at_peak_bytes = site.bytes();
    row.sampled = site.variance() > 0;
    row.error_bytes = static_cast<uint64_t>(std::llround(std::min(2 * std::sqrt(site.variance()), 1e18)));
    row.frames = FramesOf(message.names(), site.stack());
    if (site.stage_id() >= 0) row.stage_id = site.stage_id();
  }
  if (message.other_bytes() > 0) {
    ReportSite& others = rows.emplace_back();
    others.origin = Origin::kJvmOffHeap;
    others.allocated_bytes = message.other_bytes();
    others.live_at_peak_bytes = message.other_bytes();
    others.sampled = true;  // some of it may be sampled
  }
  return rows;
}

}  // namespace memprof
