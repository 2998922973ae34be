// Jobs that Spark aborted because their results were larger than spark.driver.maxResultSize. Nobody died, but it is reported like
// a death.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// Spark's own words: "Total size of serialized results of 3 tasks (2.2 MiB) is bigger than spark.driver.maxResultSize (2.0 MiB)".
struct ResultLimit {
  uint64_t tasks = 0;
  uint64_t bytes = 0, limit_bytes = 0;  // as Spark rounds them
};
std::optional<ResultLimit> ParseResultLimit(std::string_view failure);

// One for each such job, in no particular order.
std::vector<ReportPostMortem> ResultLimitDeaths(const StoreState& state);

// visit(job's id); cheap.
void ForEachJobBeyondLimit(const StoreState& state, const std::function<void(int32_t)>& visit);

}  // namespace memprof
