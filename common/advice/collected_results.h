// Results that a stage sends to the driver, beyond spark.driver.maxResultSize: what they would come to, and what to do instead.
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "budget/budget.h"
#include "report/model.h"

namespace memprof {

struct CollectedResults {
  uint64_t tasks = 0, bytes = 0;       // that had come when Spark refused more
  std::optional<uint64_t> partitions;  // of the stage
  uint64_t limit_bytes = 0;
  bool broadcast = false;
  std::string place;  // "job.py:17"; empty: not known
  const SparkSettings* settings = nullptr;
};

// All tasks' results, if those to come are like those that came.
uint64_t ExpectedBytes(const CollectedResults& results);

// What to do instead comes first, then the settings that would let it pass. Never empty.
std::vector<ReportAdvice> AdviseCollectedResults(const CollectedResults& results);

// What to do instead alone. `limit_bytes` 0: what they came to was too much for the driver's heap.
ReportAdvice AdviseAgainstCollecting(const CollectedResults& results);

// spark.driver.maxResultSize, 1 GiB unless it is set; 0: not bounded.
uint64_t MaxResultBytes(const SparkSettings* settings);

}  // namespace memprof
