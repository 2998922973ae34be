// What an OutOfMemoryError of a JVM's heap says of its executor's end, or of a task that met one and whose executor lived on. Pure
// functions of the store's state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "postmortem/loss_reason.h"
#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// Spark's handler ends a JVM at once, but a shutdown hook of Hadoop's may hold it for half a minute, and a busy machine for longer.
inline constexpr int64_t kEndsWithinMs = 60'000;

// The error that an executor ended of: its agent's last word on it, shortly before it was gone. An exit code that a JVM with such an
// error can't end with leaves none.
std::optional<proto::HeapShortage> HeapErrorThatEnded(std::string_view executor_id, const ExecutorRecord& record, const StoreState& state);

// Errors that their executors lived on after: the first of each task that has ended, and of threads of no task the first, but for those
// that ran out beside a task. One that Spark ends the executor for is none while that end may be under way.
struct SurvivedHeapError {
  std::string executor_id;
  proto::HeapShortage error;
  const TaskRecord* task = nullptr;  // null: of no task, or it is not known
  bool end_unseen = false;           // Spark was to end the executor; the application had ended first
};
std::vector<SurvivedHeapError> SurvivedHeapErrors(const StoreState& state);

// "OrderBook.add OrderBook.java:41, for HashAggregateExec": the innermost frame that is neither Spark's nor the JDK's, else the one
// that asked, and the operator. "" of no frames.
std::string HeapAskedPhrase(const std::vector<ReportFrame>& stack);
// "470.1 MiB of 512.0 MiB in use"; "" where neither is known.
std::string HeapUsePhrase(const ReportHeapShortage& shortage);
std::optional<uint64_t> HeapUsed(const ReportHeapShortage& shortage);
std::optional<uint64_t> HeapMax(const ReportHeapShortage& shortage);

}  // namespace memprof
