// A stage one of whose tasks needs far more memory than the others: its partition is what grows first when the data grows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "advice/findings.h"
#include "report/units.h"

namespace memprof {
namespace {

constexpr double kUneven = 9;           // times the median
constexpr double kLeastRaw = 2;         // likewise, with what is paid once
constexpr uint64_t kFewestTasks = 4;    // with fewer, a median means little
constexpr uint64_t kLeast = 64u << 20;  // bytes; below this it doesn't matter

struct Kind {
  TaskFigure figure;
  std::optional<TaskFigure> once;  // the part of it that is paid once for each worker or executor: no partition is larger for it
  const char* verb;
  const char* what;
  const char* beside;  // that part
};
// Held memory first, because allocated memory may not have been held at once.
constexpr Kind kKinds[] = {
    {TaskFigure::kPythonLiveAtPeak, TaskFigure::kPythonKept, "held", "Python and native memory at its peak", "that its worker keeps"},
    {TaskFigure::kOffHeapLiveAtPeak, std::nullopt, "held", "off-heap memory at its peak", ""},
    {TaskFigure::kPeakExecution, std::nullopt, "held", "execution memory at its peak", ""},
    {TaskFigure::kHeapAllocated, TaskFigure::kHeapOfBroadcasts, "allocated", "heap", "of broadcast variables"}};

struct Own {
  uint64_t bytes = 0, once_bytes = 0;
  const ReportTask* task = nullptr;
};

// Of the counted tasks that have the figure, the smallest first.
std::vector<Own> OwnFigures(const ReportStage& stage, const Kind& kind) {
  std::vector<Own> own;
  for (const ReportTask& task : stage.task_rows) {
    const uint64_t all = task.figures[static_cast<size_t>(kind.figure)];
    if (task.status != ReportTaskStatus::kCounted || all == kNoTaskFigure) continue;
    uint64_t once = kind.once ? task.figures[static_cast<size_t>(*kind.once)] : kNoTaskFigure;
    once = once == kNoTaskFigure ? 0 : std::min(once, all);
    own.push_back({all - once, once, &task});
  }
  std::stable_sort(own.begin(), own.end(), [](const Own& a, const Own& b) { return a.bytes < b.bytes; });
  return own;
}

// Of all that each held, what is paid once included: where little is beside that, a small difference is many times the median.
double RawSkew(const std::vector<Own>& own) {
  std::vector<uint64_t> raw;
  for (const Own& each : own) raw.push_back(each.bytes + each.once_bytes);
  std::sort(raw.begin(), raw.end());
  return static_cast<double>(raw.back()) / static_cast<double>(std::max<uint64_t>(raw[raw.size() / 2], 1));
}

// "task 17 (partition 4)"
std::string TitleOf(const ReportTask& task) {
  return task.partition < 0 ? fmt::format("task {}", task.task_attempt_id)
                            : fmt::format("task {} (partition {})", task.task_attempt_id, task.partition);
}

}  // namespace

std::optional<ReportFinding> FindUnevenTasks(const ReportStage& stage) {
  if (stage.distributions.empty()) return std::nullopt;  // few tasks, or rows were dropped: those left have another median
  for (const Kind& kind : kKinds) {
    const std::vector<Own> own = OwnFigures(stage, kind);
    if (own.size() < kFewestTasks) continue;
    const uint64_t median = own[own.size() / 2].bytes;  // by the rank of the distribution's
    const Own& largest = own.back();
    if (median == 0 || largest.bytes < kLeast) continue;
    const double times = static_cast<double>(largest.bytes) / static_cast<double>(median);
    if (times < kUneven || RawSkew(own) < kLeastRaw) continue;
    const std::string beside = largest.once_bytes == 0 ? "" : fmt::format(" beside {} {}", FormatBytes(largest.once_bytes), kind.beside);
    ReportFinding finding;
    finding.stage_id = stage.stage_id;
    finding.attempt = stage.attempt;
    finding.headline =
        fmt::format("In stage {} {} {} {} of {}{}, {:.0f}× the median of {} tasks ({}).", stage.stage_id, TitleOf(*largest.task), kind.verb,
                    FormatBytes(largest.bytes), kind.what, beside, times, FormatCount(own.size()), FormatBytes(median));
    finding.advice = {
        {"", "", "",
         fmt::format("divide its partition into {} (salt the key that the data is grouped or joined by, or repartition before "
                     "it): each then has about {}",
                     static_cast<uint64_t>(std::ceil(times)), FormatBytes(median))}};
    return finding;
  }
  return std::nullopt;
}

}  // namespace memprof
