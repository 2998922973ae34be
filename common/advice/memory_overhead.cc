// Python workers and the JVM's native memory live in the overhead, where the cluster manager reserves one.
#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "advice/grant.h"
#include "report/units.h"

namespace memprof {

std::optional<ReportAdvice> AdviseMemoryOverhead(const AdviceInput& input) {
  uint64_t budget = BudgetOf(input, "overhead");
  if (input.of_heap || budget == 0) return std::nullopt;  // standalone and local reserve none: the setting does nothing there
  PythonAtOnce python = LargestPythonSum(input);
  uint64_t native = JvmNative(input), own = BudgetOf(input, "pyspark"), of_none = OfNoProcess(input);
  uint64_t in_overhead = python.bytes - std::min(python.bytes, own);
  uint64_t needed = OverheadFor(input, python.bytes);
  if (needed <= budget) return std::nullopt;
  const std::string beside = fmt::format(
      " + JVM native {}{} + 10 %", FormatBytes(native),
      of_none == 0 ? "" : fmt::format(" + {} of no process that is measured (files in tmpfs, the kernel's, others)", FormatBytes(of_none)));
  if (!MayBeGranted(input, needed - budget)) {
    const std::optional<TasksThatFit> fit = LargestFit(input);
    if (!fit || fit->overhead <= budget) return std::nullopt;
    return ReportAdvice{
        "spark.executor.memoryOverhead", SparkSize(budget), SparkSize(fit->overhead),
        fmt::format("with {} tasks at once: their Python workers{} at {}{}", fit->tasks, python.programs == 0 ? "" : " and programs",
                    EachPhrase(python), beside + StillWanted(input, "halve the number"))};
  }
  std::string because = PythonPhrase(python);
  if (own != 0) because += fmt::format(", {} more than spark.executor.pyspark.memory reserves", FormatBytes(in_overhead));
  return ReportAdvice{"spark.executor.memoryOverhead", SparkSize(budget), SparkSize(needed),
                      because + beside + StillWanted(input, "give twice that")};
}

}  // namespace memprof
