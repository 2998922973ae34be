#include "rollup/left_off_heap.h"

#include <optional>
#include <utility>

#include "facts/left_bytes.h"
#include "proto/memprof.pb.h"
#include "rollup/retained.h"

namespace memprof {
namespace {

bool Parse(const std::pmr::string& bytes, proto::LeftOffHeap& message) {
  return !bytes.empty() && message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// nullopt: there are none, or they are older than since_ms of the driver's clock.
std::optional<proto::LeftOffHeap> BlocksSince(int64_t since_ms, const std::pmr::string& bytes, const ExecutorFacts& facts) {
  proto::LeftOffHeap message;
  if (!Parse(bytes, message) || facts.clock.ToDriver(message.time_ms()) < since_ms) return std::nullopt;
  return message;
}

std::string ThreadOf(const proto::LeftOffHeap& message, const proto::LeftSite& site) {
  return site.thread() == 0 ? "" : message.names().strings(static_cast<int>(site.thread()));
}

LeftOffHeapThen SitesOf(const proto::LeftOffHeap& message) {
  std::vector<ReportSite> rows;
  for (const proto::LeftSite& site : message.sites()) {
    ReportSite& row = rows.emplace_back();
    row.origin = Origin::kJvmOffHeap;
    row.tasks = site.tasks();
    row.allocated_bytes = site.bytes();
    row.allocations = site.blocks();
    row.live_at_peak_bytes = site.bytes();
    row.sampled = site.variance() > 0;
    row.error_bytes = TwoDeviations(site.variance());
    row.frames = FramesOf(message.names(), site.stack());
    if (site.stage_id() >= 0) row.stage_id = site.stage_id();
    row.thread = ThreadOf(message, site);
  }
  if (message.other_bytes() > 0) {
    ReportSite& others = rows.emplace_back();
    others.origin = Origin::kJvmOffHeap;
    others.allocated_bytes = message.other_bytes();
    others.live_at_peak_bytes = message.other_bytes();
    others.sampled = true;  // some of it may be sampled
  }
  return {message.time_ms(), std::move(rows)};
}

}  // namespace

std::optional<ReportLeftOffHeap> LeftOffHeapRow(const ExecutorFacts& facts, size_t most) {
  proto::LeftOffHeap message;
  if (!Parse(facts.left_off_heap_peak, message) || LeftBytes(message) == 0) return std::nullopt;
  ReportLeftOffHeap row;
  row.time_ms = message.time_ms();
  row.total_bytes = LeftBytes(message);
  row.other_bytes = message.other_bytes();
  for (const proto::LeftSite& site : message.sites()) {
    if (row.sites.size() >= most) {  // the heaviest come first
      row.other_bytes += site.bytes();
      continue;
    }
    ReportLeftSite& out = row.sites.emplace_back();
    out.bytes = site.bytes();
    out.blocks = site.blocks();
    out.error_bytes = TwoDeviations(site.variance());
    if (site.stage_id() >= 0) out.stage_id = site.stage_id();
    out.thread = ThreadOf(message, site);
    out.frames = FramesOf(message.names(), site.stack());
  }
  return row;
}

LeftOffHeapThen LeftOffHeapSites(const ExecutorFacts& facts, int64_t since_ms, uint64_t most_bytes) {
  const std::optional<proto::LeftOffHeap> blocks = BlocksSince(since_ms, facts.left_off_heap, facts);
  if (!blocks || LeftBytes(*blocks) / 9 * 8 > most_bytes) return {};  // samples of small blocks scatter
  return SitesOf(*blocks);
}

LeftOffHeapThen LeftOffHeapSitesAtPeak(const ExecutorFacts& facts, int64_t since_ms) {
  const std::optional<proto::LeftOffHeap> blocks = BlocksSince(since_ms, facts.left_off_heap_peak, facts);
  return blocks ? SitesOf(*blocks) : LeftOffHeapThen();
}

}  // namespace memprof
