// What the driver's events say about new executors and ended tasks. Times are epoch milliseconds.
#pragma once

#include <cstdint>
#include <string_view>

#include "report/executor_model.h"

namespace memprof {

// What Spark measured of a task; -1: not known.
struct TaskTimes {
  int64_t launched_ms = -1;  // epoch milliseconds
  int64_t gc_ms = -1;        // how long collections ran meanwhile, in its executor
};

enum class TaskOutcome : uint8_t { kSucceeded = 0, kFailed = 1, kKilled = 2, kLost = 3 };

// The receiver copies the texts.
struct TaskEnd {
  int64_t task_attempt_id = 0;
  int stage_id = -1, stage_attempt = -1, partition = -1;
  int attempt_number = -1;  // of its partition; -1: not known
  std::string_view executor_id;
  TaskOutcome outcome = TaskOutcome::kSucceeded;
  std::string_view error;
  int64_t time_ms = 0;
  TaskTimes times;
};

// Resources come from the executor's resource profile; -1 = not given.
struct ExecutorAddition {
  std::string_view id, host;
  int cores = -1;
  int64_t heap_mib = -1, overhead_mib = -1, offheap_mib = -1, pyspark_mib = -1;
  int64_t time_ms = 0;
  ReportResourceProfile resource_profile{};
};

}  // namespace memprof
