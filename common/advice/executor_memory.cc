// A heap that ran out with one task in it: nothing but a larger heap (or less in the task) helps.
#include <fmt/format.h>

#include "advice/figures.h"
#include "report/units.h"

namespace memprof {

std::optional<ReportAdvice> AdviseExecutorMemory(const AdviceInput& input) {
  bool fewer_cores_help = input.tasks_at_once > 1 && input.executor->cores.value_or(0) > 1;
  if (!input.of_heap || fewer_cores_help) return std::nullopt;
  std::string full = FormatBytesOr(input.executor->heap_used_peak_bytes, "all");
  const char* conf = input.executor->id == "driver" ? "spark.driver.memory" : "spark.executor.memory";
  if (!input.executor->heap_max_bytes) return ReportAdvice{conf, "", "", "its heap ran out; how large it was is not known"};
  uint64_t heap = *input.executor->heap_max_bytes;
  return ReportAdvice{conf, SparkSize(heap), SparkSize(2 * heap),
                      fmt::format("one task filled the heap of {} ({} in use at its peak); how much more it wanted is not measured, so "
                                  "the next size to try is twice that",
                                  FormatBytes(heap), full)};
}

}  // namespace memprof
