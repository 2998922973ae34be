// Python workers and the JVM's native memory live in the overhead, where the cluster manager reserves one.
#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "advice/grant.h"
#include "budget/memory_size.h"
#include "report/units.h"

namespace memprof {
namespace {

// The least overhead with which YARN, which rounds requests up, grants more than now; 0: that is not known. The limit of its cgroup is
// what it granted, too.
uint64_t BeyondGrant(const AdviceInput& input, uint64_t budget) {
  const ReportExecutor& executor = *input.executor;
  if (!executor.limit_bytes || !executor.requested_bytes) return 0;
  const bool of_group =
      executor.limit_source == "cgroup" && IsOnYarn(input.settings) && LimitIsAsRequested(executor, *executor.limit_bytes);
  if (executor.limit_source != "spark" && !of_group) return 0;
  const uint64_t rest = *executor.requested_bytes - std::min(budget, *executor.requested_bytes);
  return *executor.limit_bytes <= *executor.requested_bytes ? 0 : *executor.limit_bytes - rest + kMib;
}

}  // namespace

std::optional<ReportAdvice> AdviseMemoryOverhead(const AdviceInput& input) {
  uint64_t budget = BudgetOf(input, "overhead");
  if (input.of_heap || budget == 0) return std::nullopt;  // standalone and local reserve none: the setting does nothing there
  PythonAtOnce python = LargestPythonSum(input);
  uint64_t native = JvmNative(input), own = BudgetOf(input, "pyspark"), of_none = OfNoProcess(input);
  uint64_t in_overhead = python.bytes - std::min(python.bytes, own);
  uint64_t needed = OverheadFor(input, python.bytes);
  if (needed <= budget) return std::nullopt;
  const uint64_t beyond = BeyondGrant(input, budget);
  const std::string granted =
      beyond <= needed ? ""
                       : fmt::format("; with less, no more than the {} of now would be granted", FormatBytes(*input.executor->limit_bytes));
  needed = std::max(needed, beyond);
  const uint64_t in_swap = InSwap(input);
  const std::string beside = fmt::format(
      " + JVM native {}{}{} + 10 %", FormatBytes(native), in_swap == 0 ? "" : fmt::format(" + {} in swap", FormatBytes(in_swap)),
      of_none == 0 ? "" : fmt::format(" + {} of no process that is measured (files in tmpfs, the kernel's, others)", FormatBytes(of_none)));
  if (!MayBeGranted(input, needed - budget)) {
    const std::optional<TasksThatFit> fit = LargestFit(input);
    if (!fit || fit->overhead <= std::max(budget, beyond == 0 ? 0 : beyond - 1)) return std::nullopt;
    return ReportAdvice{
        "spark.executor.memoryOverhead", SparkSize(budget), SparkSize(fit->overhead),
        fmt::format("with {} tasks at once: their Python workers{} at {}{}", fit->tasks, python.programs == 0 ? "" : " and programs",
                    EachPhrase(python), beside + StillWanted(input, "halve the number"))};
  }
  std::string because = PythonPhrase(python);
  if (own != 0) because += fmt::format(", {} more than spark.executor.pyspark.memory reserves", FormatBytes(in_overhead));
  return ReportAdvice{"spark.executor.memoryOverhead", SparkSize(budget), SparkSize(needed),
                      because + beside + granted + StillWanted(input, "give twice that")};
}

}  // namespace memprof
