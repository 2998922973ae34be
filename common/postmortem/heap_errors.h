// What an OutOfMemoryError of a JVM's heap says about the end of its executor, or about a task that had one while its executor
// continued. Pure functions of the store's state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advice/jvm_shortage.h"
#include "facts/loss_reason.h"
#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// Spark's handler ends a JVM at once, but a shutdown hook of Hadoop may delay the end by half a minute, and a busy machine by
// more.
inline constexpr int64_t kEndsWithinMs = 60'000;
// The driver's, of an exception that nobody catches: it is over within seconds, but a full heap and a busy machine delay its end.
inline constexpr int64_t kProgramEndsWithinMs = 30'000;
inline constexpr int64_t kOneShortageMs = 10'000;  // errors that are nearer to one another are of one shortage

// The error that ended an executor: the last one that its agent reported, shortly before the end. None if the exit code is one
// that such a JVM can't end with.
std::optional<proto::HeapShortage> HeapErrorThatEnded(std::string_view executor_id, const ExecutorFacts& facts, const StoreState& state);

// An error of another pool, space for classes or threads, of whatever thread: the newest one that is close to the end, and newer than
// `of_heap`.
std::optional<proto::HeapShortage> PoolErrorNearEnd(std::string_view executor_id, const ExecutorFacts& facts, const StoreState& state,
                                                    const std::optional<proto::HeapShortage>& of_heap);
// Whether such an error ended the executor: Spark's own handler has (codes 52 and 50). Other codes need no such error, and a JVM may go
// on after it; of space for classes HotSpot tells even where it can do without.
bool ProvesPoolError(std::optional<int> exit_code);
// In the terms of a task's text.
JvmShortage PoolShortage(const proto::HeapShortage& error);

// Errors of the heap that their executors survived: the first of each ended task, of threads without a task, and of the JVM's own threads.
// Left out are those that another one of the same time tells better: a task's, one that found the heap full, one of no thread of the JVM's
// own; and an error for which Spark ends the executor, while that end may still come.
struct SurvivedHeapError {
  std::string executor_id;
  proto::HeapShortage error;
  const TaskFacts* task = nullptr;                    // null: of no task, or it is not known
  bool end_unseen = false;                            // Spark would have ended the executor, but the application ended first
  std::optional<int64_t> application_ended_after_ms;  // the driver's: so soon that the error may be why
  bool action_succeeded_later = false;                // it was begun after the error, of several threads that begin actions
};
std::vector<SurvivedHeapError> SurvivedHeapErrors(const StoreState& state);

// "OrderBook.add OrderBook.java:41, for HashAggregateExec": the innermost frame that is neither Spark's nor the JDK's, else the one
// that asked, and the operator. "" of no frames.
std::string HeapAskedPhrase(const std::vector<ReportFrame>& stack);
// "task 7 (stage 3)", "thread pool-#".
std::string WhoAsked(const proto::HeapShortage& error);
// "470.1 MiB of 512.0 MiB in use"; "" where neither is known.
std::string HeapUsePhrase(const ReportHeapShortage& shortage);

}  // namespace memprof
