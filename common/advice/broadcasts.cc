// Broadcast variables in a full heap: each executor has all of them, however few tasks it runs.
#include <fmt/format.h>

#include "advice/advice.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr double kWorthIt = 0.125;  // of the heap, serialised: a table that is joined is there once more, as objects

}  // namespace

std::optional<ReportAdvice> AdviseBroadcasts(const AdviceInput& input) {
  const uint64_t bytes = input.cached[0].broadcast_bytes, heap = input.executor->heap_max_bytes.value_or(0);
  if (!input.of_heap || heap == 0 || static_cast<double>(bytes) < kWorthIt * static_cast<double>(heap)) return std::nullopt;
  return ReportAdvice{
      "", "", "",
      fmt::format("broadcast variables held {} of the heap of {} as serialised blocks, whatever tasks run, and tables that are joined are "
                  "there once more, as objects: broadcast less (a smaller spark.sql.autoBroadcastJoinThreshold, or -1; no broadcast() "
                  "hint), and unpersist() what sc.broadcast() made and nobody needs any more",
                  FormatBytes(bytes), FormatBytes(heap))};
}

}  // namespace memprof
