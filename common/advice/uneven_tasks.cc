// A stage one of whose tasks needs far more memory than the others: its partition is what grows first when the data grows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice/findings.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr double kUneven = 9;           // times the median
constexpr uint64_t kFewestTasks = 4;    // with fewer, a median means little
constexpr uint64_t kLeast = 64u << 20;  // bytes; below this it doesn't matter

struct Kind {
  TaskFigure figure;
  const char* verb;
  const char* what;
};
// Held memory first, because allocated memory may not have been held at once.
constexpr Kind kKinds[] = {{TaskFigure::kPythonLiveAtPeak, "held", "Python and native memory at its peak"},
                           {TaskFigure::kOffHeapLiveAtPeak, "held", "off-heap memory at its peak"},
                           {TaskFigure::kPeakExecution, "held", "execution memory at its peak"},
                           {TaskFigure::kHeapAllocated, "allocated", "heap"}};

const ReportDistribution* Find(const ReportStage& stage, TaskFigure figure) {
  for (const ReportDistribution& each : stage.distributions) {
    if (each.figure == figure) return &each;
  }
  return nullptr;
}

// "task 17 (partition 4)"
std::string TaskWith(uint64_t bytes, TaskFigure figure, const ReportStage& stage) {
  const auto task = std::find_if(stage.task_rows.begin(), stage.task_rows.end(), [&](const ReportTask& row) {
    return row.status == ReportTaskStatus::kCounted && row.figures[static_cast<size_t>(figure)] == bytes;
  });
  if (task == stage.task_rows.end()) return "one task";
  return task->partition < 0 ? fmt::format("task {}", task->task_attempt_id)
                             : fmt::format("task {} (partition {})", task->task_attempt_id, task->partition);
}

}  // namespace

std::optional<ReportFinding> FindUnevenTasks(const ReportStage& stage) {
  for (const Kind& kind : kKinds) {
    const ReportDistribution* spread = Find(stage, kind.figure);
    if (spread == nullptr || spread->tasks < kFewestTasks || spread->skew.value_or(0) < kUneven) continue;
    const uint64_t median = spread->quantiles[2], largest = spread->quantiles[4];
    if (largest < kLeast) continue;
    ReportFinding finding;
    finding.stage_id = stage.stage_id;
    finding.attempt = stage.attempt;
    finding.headline = fmt::format("In stage {} {} {} {} of {}, {:.0f}× the median of {} tasks ({}).", stage.stage_id,
                                   TaskWith(largest, kind.figure, stage), kind.verb, FormatBytes(largest), kind.what, *spread->skew,
                                   FormatCount(spread->tasks), FormatBytes(median));
    finding.advice = {
        {"", "", "",
         fmt::format("divide its partition into {} (salt the key that the data is grouped or joined by, or repartition before "
                     "it): each then has about {}",
                     static_cast<uint64_t>(std::ceil(*spread->skew)), FormatBytes(median))}};
    return finding;
  }
  return std::nullopt;
}

}  // namespace memprof
