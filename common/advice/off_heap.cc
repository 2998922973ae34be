// Spark's off-heap memory in a container that has no room for it: standalone and local mode don't reserve it, and a cgroup may be made
// without it. It is the only part that Spark can be told to take less of; what no longer fits is evicted or spilled.
#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "budget/memory_size.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr uint64_t kLeast = 64 * kMib;  // the least off-heap memory that is useful
constexpr double kWorthIt = 0.25;       // of the limit

}  // namespace

std::optional<ReportAdvice> AdviseOffHeap(const AdviceInput& input) {
  const uint64_t budget = BudgetOf(input, "offHeap"), limit = input.death->limit_bytes.value_or(0),
                 then = std::min(budget, input.spark_off_heap.value_or(LastOf(input, "offHeap")));
  const uint64_t heap = input.executor->heap_max_bytes.value_or(0);
  // A container that was requested with off-heap memory has room for it: something else was too large.
  if (input.of_heap || budget == 0 || limit == 0 || limit >= heap + budget) return std::nullopt;
  if (static_cast<double>(then) < kWorthIt * static_cast<double>(limit)) return std::nullopt;
  const JvmSize jvm = JvmAtMost(input);
  const uint64_t rest = jvm.bytes - std::min(jvm.bytes, then) + LargestPythonSum(input).bytes;
  if (limit < WithHeadroom(rest) + kLeast) return std::nullopt;
  const uint64_t room = (limit - WithHeadroom(rest)) / kMib * kMib;
  if (room >= budget) return std::nullopt;
  return ReportAdvice{"spark.memory.offHeap.size", SparkSize(budget), SparkSize(room),
                      fmt::format("Spark may take {} off-heap, and {} were held there{}; beside the JVM's other "
                                  "memory{} and Python, {} + 10 %, the limit of "
                                  "{} has room for {}",
                                  FormatBytes(budget), FormatBytes(then), input.spark_off_heap ? "" : ", direct buffers included",
                                  jvm.grows ? " with a full heap" : "", FormatBytes(rest), FormatBytes(limit), FormatBytes(room))};
}

}  // namespace memprof
