// Which death a failure came of: what the exception that the user sees lacks. Pure functions; any text is fine.
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
  std::optional<int64_t> task;  // the attempt that failed last, if of an exception
};

// True where the words, Spark's or an error's own, are those of a lost executor or Python worker, or of memory refused.
bool TellsOfDeath(std::string_view failure);

// The last death that the failure can have come of. Of a job's: what it asked of the driver, else that of an executor that the text says
// is lost, else that of the job's task, else one in the job's stages. Of no job's: where the driver's heap ran out, within the last
// minute. Null: none is known that fits, or not yet.
const ReportPostMortem* DeathOf(std::string_view failure, const std::optional<FailedJob>& job, const std::vector<ReportPostMortem>& deaths,
                                int64_t now_ms);

}  // namespace memprof
