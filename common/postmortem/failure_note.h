// The death that caused a failure, for the exception that the user sees. Pure functions; any text is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "report/model.h"

namespace memprof {

struct FailedJob {
  int32_t job_id = 0;
  std::set<int32_t> stages;
  std::optional<int64_t> task;  // the attempt that failed last, if by an exception
};

// True where the text, of Spark or of an error, speaks of a lost executor or Python worker, of refused memory, or of a SparkContext that
// stopped while the job ran.
bool TellsOfDeath(std::string_view failure);
// Of a JVM: without a job, only of that can the driver's death be.
bool TellsOfFullHeap(std::string_view failure);

// The last death that can have caused the failure. For a job, the first of these that exists: its results' limit, an executor
// that the text says is lost, the job's task, any death in the job's stages. Without a job, and where the SparkContext stopped: the
// driver's full heap within the last minute. Null: no fitting death is known (yet).
const ReportPostMortem* DeathOf(std::string_view failure, const std::optional<FailedJob>& job, const std::vector<ReportPostMortem>& deaths,
                                int64_t now_ms);

}  // namespace memprof
