// A heap that ran out with one task in it, or the driver's: only a larger heap, or less in it, helps.
#include <fmt/format.h>

#include <algorithm>

#include "advice/collected_results.h"
#include "advice/figures.h"
#include "advice/heap_bounds.h"
#include "budget/memory_size.h"
#include "report/units.h"

namespace memprof {

namespace {

struct Next {
  uint64_t heap = 0;
  std::string why;
  uint64_t for_results = 0;  // a smaller heap would not do; 0: not known
};

std::string ResultsPhrase(const AdviceInput& input) {
  return fmt::format("all results are {}, which it holds twice, serialised and as objects, + Spark's reserve + 10 %",
                     FormatBytes(input.result_bytes));
}

// The next heap to try.
Next NextHeap(const AdviceInput& input, uint64_t heap) {
  const uint64_t for_results = input.result_bytes == 0 ? 0 : WithHeadroom(HeapFor(input.result_bytes));
  if (for_results > 2 * heap) return {for_results, ResultsPhrase(input), for_results};
  return {2 * heap, "how much more was wanted is not measured, so the next size to try is twice that", for_results};
}

std::string WhoFilled(const AdviceInput& input, bool of_driver) {
  if (OneTaskAllocatedFarMore(input))
    return fmt::format("one task, which allocated {} while the {} beside it allocated {} at most, filled",
                       FormatBytes(input.heap_by_task.front()), input.heap_by_task.size() - 1, FormatBytes(MostAllocatedBeside(input)));
  if (!of_driver) return "one task filled";
  return input.tasks_at_once > 1 ? fmt::format("{} tasks at once filled", input.tasks_at_once) : "the driver filled";
}

}  // namespace

std::optional<ReportAdvice> AdviseExecutorMemory(const AdviceInput& input) {
  const bool of_driver = input.executor->id == "driver";
  const bool fewer_cores_help = !of_driver && TasksThatShareHeap(input) > 1 && !OneTaskAllocatedFarMore(input);
  if (!input.of_heap || fewer_cores_help) return std::nullopt;
  const char* conf = of_driver ? "spark.driver.memory" : "spark.executor.memory";
  if (!input.executor->heap_max_bytes) return ReportAdvice{conf, "", "", "its heap ran out; how large it was is not known"};
  const bool of_profile = input.executor->resource_profile.AsksFor(ReportResourceProfile::kMemory);
  const uint64_t runs = *input.executor->heap_max_bytes;
  const HeapSize size = of_profile ? HeapSize{runs, true} : HeapAsSet(input.settings, conf, runs);
  const uint64_t heap = size.bytes;
  const std::string not_taken = of_driver ? NotTakenPhrase(input.settings, size) : "";
  const std::optional<ReportHeapUse>& most = input.executor->heap_after_gc_peak;
  const std::string filled = fmt::format(
      "{} the heap of {}{}", WhoFilled(input, of_driver), FormatBytes(heap),
      most ? fmt::format(" (at most {} in use after a {} collection)", FormatBytes(most->bytes), most->whole_heap ? "full" : "young") : "");
  const Next next = NextHeap(input, heap);
  const std::optional<HeapBound> largest = LargestHeap(input, heap);
  if (!largest || largest->heap >= next.heap)
    return ReportAdvice{conf, SparkSize(heap), SparkSize(next.heap), filled + "; " + next.why + not_taken};
  const std::string bound = fmt::format("{}, and {}", filled, largest->by);
  const bool too_small = largest->heap < next.for_results;
  if (largest->heap >= heap + heap / 10 && !too_small)
    return ReportAdvice{conf, SparkSize(heap), SparkSize(largest->heap), bound + not_taken};
  const std::string needed =
      too_small ? fmt::format(", while a heap of {} is needed ({})", FormatBytes(next.for_results), ResultsPhrase(input)) : "";
  return ReportAdvice{"", "", "",
                      bound + needed +
                          (of_driver ? ": run it where there is more memory, or bring less to it"
                                     : ": divide its partition into 2 at the least (repartition, or salt the key)")};
}

}  // namespace memprof
