// Fewer tasks at once: each needs as much as before, but their sum is smaller.
#include <fmt/format.h>

#include <algorithm>

#include "advice/figures.h"
#include "report/units.h"

namespace memprof {
namespace {

// In local mode the driver's JVM runs the tasks, and its master says how many. Nothing: no setting does.
std::optional<ReportAdvice> TasksAtOnce(const AdviceInput& input, uint64_t cores, uint64_t tasks, std::string because) {
  const uint64_t needs = tasks * TaskCpus(input);
  if (input.executor->id != "driver")
    return ReportAdvice{"spark.executor.cores", fmt::format("{}", cores), fmt::format("{}", needs), std::move(because)};
  const std::string master = TextOr(input.settings, "spark.master", "");
  if (!master.starts_with("local[")) return std::nullopt;
  const std::string failures = master.substr(std::min(master.find_first_of(",]"), master.size()));  // "]" or ",3]"
  return ReportAdvice{"spark.master", master, fmt::format("local[{}{}", needs, failures), std::move(because)};
}

// A standalone worker may give the cores that became free to another executor of the application, whose memory no limit bounds
// (Master.scheduleExecutorsOnWorkers).
std::string AloneThere(const AdviceInput& input, const char* which) {
  const std::string master = TextOr(input.settings, "spark.master", "");
  if (!master.starts_with("spark://") && !master.starts_with("local-cluster[")) return "";
  return fmt::format(
      "; also set spark.cores.max to this number times the workers of the cluster: otherwise one with cores and memory left starts a "
      "second "
      "executor, which {}",
      which);
}

std::optional<ReportAdvice> ForHeap(const AdviceInput& input, uint64_t cores) {
  const uint64_t tasks = TasksThatShareHeap(input);
  if (tasks < 2 || OneTaskAllocatedFarMore(input)) return std::nullopt;
  const uint64_t heap = input.executor->heap_max_bytes.value_or(0);
  return TasksAtOnce(input, cores, tasks / 2,
                     fmt::format("{} tasks at once shared a heap of {}, {} each; with {} each has {}{}", tasks, FormatBytes(heap),
                                 FormatBytes(heap / tasks), tasks / 2, FormatBytes(heap / (tasks / 2)),
                                 AloneThere(input, "takes as much of the host again")));
}

}  // namespace

std::optional<ReportAdvice> AdviseExecutorCores(const AdviceInput& input) {
  auto cores = static_cast<uint64_t>(std::max<int64_t>(input.executor->cores.value_or(0), 0));
  if (cores < 2) return std::nullopt;
  if (input.of_heap) return ForHeap(input, cores);
  const PythonAtOnce python = LargestPythonSum(input);
  const uint64_t limit = input.death->limit_bytes.value_or(0);
  const JvmSize jvm = JvmAtMost(input);
  const uint64_t fixed = jvm.bytes + python.of_driver;
  if (python.tasks < 2 || limit <= fixed) return std::nullopt;
  uint64_t fitting = python.tasks;
  while (fitting > 0 && WithHeadroom(BytesOfTasks(python, fitting)) > limit - fixed) --fitting;
  if (fitting == 0 || fitting == python.tasks) return std::nullopt;
  return TasksAtOnce(input, cores, fitting,
                     fmt::format("{}, {}; beside the JVM's {}{} the limit of {} has room for {} of these + 10 %{}{}", PythonPhrase(python),
                                 EachPhrase(python), FormatBytes(jvm.bytes), jvm.grows ? " with a full heap" : "", FormatBytes(limit),
                                 fitting, StillWanted(input, "halve the number"), AloneThere(input, "shares the limit")));
}

}  // namespace memprof
