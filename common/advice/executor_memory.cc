// A heap that ran out with one task in it: only a larger heap, or a task that holds less, helps.
#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "advice/grant.h"
#include "budget/memory_size.h"
#include "report/units.h"

namespace memprof {

std::optional<ReportAdvice> AdviseExecutorMemory(const AdviceInput& input) {
  bool fewer_cores_help = input.tasks_at_once > 1 && input.executor->cores.value_or(0) > 1;
  if (!input.of_heap || fewer_cores_help) return std::nullopt;
  std::string full = FormatBytesOr(input.executor->heap_used_peak_bytes, "all");
  const bool of_driver = input.executor->id == "driver";
  const char* conf = of_driver ? "spark.driver.memory" : "spark.executor.memory";
  if (!input.executor->heap_max_bytes) return ReportAdvice{conf, "", "", "its heap ran out; how large it was is not known"};
  uint64_t heap = *input.executor->heap_max_bytes;
  const std::optional<Grant> grant = LargestGrant(input);
  if (!of_driver && !MayBeGranted(input, WithHeadroom(heap))) {  // the overhead grows with the heap
    const uint64_t requested = *input.executor->requested_bytes;
    const auto room = static_cast<uint64_t>(static_cast<double>(grant->bytes - std::min(grant->bytes, requested)) / kHeadroom);
    const std::string bound = fmt::format("one task filled the heap of {} ({} in use at its peak), and {} {} at most", FormatBytes(heap),
                                          full, grant->by, FormatBytes(grant->bytes));
    if (room < heap / 10)
      return ReportAdvice{"", "", "", bound + ": divide its partition into 2 at the least (repartition, or salt the key)"};
    return ReportAdvice{conf, SparkSize(heap), fmt::format("{}m", (heap + room) / kMib), bound};
  }
  return ReportAdvice{conf, SparkSize(heap), SparkSize(2 * heap),
                      fmt::format("{} the heap of {} ({} in use at its peak); how much more was wanted is not measured, so "
                                  "the next size to try is twice that",
                                  of_driver ? "the driver filled" : "one task filled", FormatBytes(heap), full)};
}

}  // namespace memprof
