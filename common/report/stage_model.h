// A stage and its tasks: a part of the report model (report/model.h), same rules.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/site_model.h"

namespace memprof {

// What one class of consumers held of Spark's execution memory.
struct ReportMemoryConsumer {
  std::string name;       // its Java class
  std::string operation;  // what it is for; empty: not known
  bool off_heap = false;
  uint64_t tasks = 0;       // that had it
  uint64_t peak_bytes = 0;  // the largest of any one task, as sampled
};

// Spark's memory of one mode in one executor, at one moment.
struct ReportPoolMoment {
  bool off_heap = false;
  uint64_t max_bytes = 0;                        // of storage and execution together
  std::optional<uint64_t> storage_region_bytes;  // storage's own share, from which execution can't evict
  uint64_t storage_bytes = 0, execution_bytes = 0;
};

// What the counted tasks of a stage held of Spark's memory.
struct ReportStageMemory {
  std::vector<ReportMemoryConsumer> consumers;                       // most bytes first
  std::optional<uint64_t> peak_execution_bytes;                      // the largest of any one task, by Spark's own metric
  std::optional<uint64_t> spilled_memory_bytes, spilled_disk_bytes;  // sums
  uint64_t tasks_spilled = 0;
  std::vector<ReportPoolMoment> fullest;  // one for each mode: when most was taken while a task of the stage ran
};

// A task's figures, in the order of report.json's columns (words.h names them).
enum class TaskFigure : uint8_t {
  kDurationMs,
  kGcMs,
  kPythonLiveAtPeak,
  kPythonAllocated,
  kHeapAllocated,
  kOffHeapLiveAtPeak,
  kPeakExecution,
  kSpilledMemory,
  kPythonKept,        // of live at peak, what was live at the end, too: what a worker loads once, a cache, a leak
  kHeapOfBroadcasts,  // of the heap allocated, broadcast variables that the task was the first to read in its executor
};
inline constexpr size_t kTaskFigures = 10;
inline constexpr uint64_t kNoTaskFigure = UINT64_MAX;  // of a task's figure
using TaskFigures = std::array<uint64_t, kTaskFigures>;

enum class ReportTaskStatus : uint8_t { kCounted, kFailed, kKilled, kLost, kSuperseded, kUnknown };
inline constexpr size_t kTaskStatuses = 6;

// One attempt of a task.
struct ReportTask {
  int64_t task_attempt_id = 0;
  int32_t partition = -1, attempt = -1;  // -1: not known
  ReportTaskStatus status = ReportTaskStatus::kUnknown;
  std::string executor_id;
  std::optional<int64_t> launched_ms;
  TaskFigures figures{};
};

// One figure over the counted tasks of a stage that have it.
struct ReportDistribution {
  TaskFigure figure = TaskFigure::kDurationMs;
  uint64_t tasks = 0;
  std::array<uint64_t, 5> quantiles{};  // least, lower quartile, median, upper quartile, largest
  std::optional<double> skew;           // largest / median
};

struct ReportStage : ReportSiteGroup {
  int32_t stage_id = 0, attempt = 0;
  std::string name, call_site;
  std::string status;  // running, complete, failed, unknown
  std::string failure_reason;
  std::optional<int64_t> submitted_ms, completed_ms;
  std::optional<uint64_t> partitions;
  uint64_t profiled_tasks = 0;  // of `tasks`, those whose profile arrived
  uint64_t partial_tasks = 0;   // of these, those with a session still open at the end of the task
  ReportStageMemory memory;
  std::vector<ReportTask> task_rows;  // all attempts that are known one by one, heaviest first; a file may show fewer
  uint64_t task_rows_known = 0;       // how many there were before any was cut
  std::vector<ReportDistribution> distributions;
  std::optional<double> gc_percent;  // of its counted tasks' time, how much collectors took; nothing: not known of any, or rows were let go
  ReportOtherAttempts other_attempts;
};

}  // namespace memprof
