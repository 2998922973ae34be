// Where the cluster can't grant a container that is large enough: more executors of fewer tasks each, or smaller partitions.
#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "advice/grant.h"
#include "report/units.h"

namespace memprof {
namespace {

// Not even one task fits: into how many parts its partition must be divided.
ReportAdvice SmallerPartitions(const AdviceInput& input, const Grant& grant, uint64_t request) {
  const PythonAtOnce python = LargestPythonSum(input);
  const uint64_t each = BytesOfTasks(python, 1);
  const uint64_t task = WithHeadroom(each - std::min(each, BudgetOf(input, "pyspark")));
  const uint64_t beside = RequestBesideOverhead(input) + WithHeadroom(JvmNative(input) + OfNoProcess(input));
  std::string because =
      fmt::format("a container of {} for one task is more than {} {}", FormatBytes(request), grant.by, FormatBytes(grant.bytes));
  if (beside >= grant.bytes) return {"", "", "", because + ": only a smaller heap leaves room for Python"};
  const uint64_t room = grant.bytes - beside, parts = std::max<uint64_t>(2, (task + room - 1) / room);
  because += fmt::format(
      ", which leaves {} for the task's {}: divide its partition into {} (repartition, or salt the key it is grouped by), or take a "
      "smaller heap",
      FormatBytes(room), FormatBytes(task), parts);
  return {"", "", "", because};
}

}  // namespace

std::optional<ReportAdvice> AdviseSplit(const AdviceInput& input) {
  const std::optional<Grant> grant = LargestGrant(input);
  const uint64_t budget = BudgetOf(input, "overhead");
  const PythonAtOnce python = LargestPythonSum(input);
  if (input.of_heap || budget == 0 || !grant || !input.executor->requested_bytes || python.tasks == 0) return std::nullopt;
  const uint64_t needed = OverheadFor(input, python.bytes);
  if (needed <= budget || MayBeGranted(input, needed - budget)) return std::nullopt;
  const uint64_t beside = RequestBesideOverhead(input);
  const std::optional<TasksThatFit> fit = LargestFit(input);
  if (!fit) return SmallerPartitions(input, *grant, beside + OverheadFor(input, BytesOfTasks(python, 1)));
  const auto cores = static_cast<uint64_t>(input.executor->cores.value_or(static_cast<int64_t>(python.workers())));
  const uint64_t cpus = TaskCpus(input), needs = fit->tasks * cpus;
  if (fit->tasks >= TaskSlots(input).value_or(cores / cpus)) return std::nullopt;  // a larger overhead is enough for all tasks
  const std::string with = fit->overhead <= budget ? "" : ", with the memoryOverhead that is advised";
  return ReportAdvice{
      "spark.executor.cores", fmt::format("{}", cores), fmt::format("{}", needs),
      fmt::format("{} tasks at once would take a container of {}, and {} {}: {} fit into {}{}; for as many tasks in all, {:.1f} times "
                  "the executors",
                  python.tasks, FormatBytes(beside + needed), grant->by, FormatBytes(grant->bytes), fit->tasks,
                  FormatBytes(beside + fit->overhead), with, static_cast<double>(cores) / static_cast<double>(needs))};
}

}  // namespace memprof
