// Cached data in a full heap, or off-heap in a full container: Spark does not evict it for memory that a task allocates itself.
#include <fmt/format.h>

#include "advice/advice.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr double kWorthIt = 0.25;  // of what was full

}  // namespace

std::optional<ReportAdvice> AdviseCaching(const AdviceInput& input) {
  const CachedDataset& dataset = input.cached[input.of_heap ? 0 : 1];
  const uint64_t full = (input.of_heap ? input.executor->heap_max_bytes : input.death->limit_bytes).value_or(0);
  if (full == 0 || static_cast<double>(dataset.bytes) < kWorthIt * static_cast<double>(full)) return std::nullopt;
  return ReportAdvice{"", "", "",
                      fmt::format("cached data {} held {} of the {} of {}: unpersist it before, or persist it with DISK_ONLY, which leaves "
                                  "that much to tasks",
                                  NameOf(dataset), FormatBytes(dataset.bytes), input.of_heap ? "heap" : "limit", FormatBytes(full))};
}

}  // namespace memprof
