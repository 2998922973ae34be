// Results that a stage sends to the driver, beyond spark.driver.maxResultSize: how large all of them would be, and what to do
// instead. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/grant.h"
#include "budget/budget.h"
#include "report/model.h"

namespace memprof {

struct CollectedResults {
  uint64_t tasks = 0, bytes = 0;       // that had arrived when Spark refused more
  std::optional<uint64_t> partitions;  // of the stage
  uint64_t limit_bytes = 0;
  bool broadcast = false;
  bool of_query = false;                   // Spark SQL compresses rows on their way (SparkPlan.getByteArrayRdd)
  std::string place;                       // "job.py:17"; empty: not known
  std::optional<uint64_t> heap_max_bytes;  // of the driver's JVM as it runs
  GrantBounds bounds;                      // of the driver
  const SparkSettings* settings = nullptr;
};

// Whether some tasks' results had not arrived.
bool AreMissing(const CollectedResults& results);

// All tasks' results, if the missing ones are like those that arrived.
uint64_t ExpectedBytes(const CollectedResults& results);

// The heap that results of this size need at least: they are in it twice, serialised and as objects, beside Spark's reserve.
uint64_t HeapFor(uint64_t result_bytes);

// First what to do instead, then the settings that would allow the results. Never empty.
std::vector<ReportAdvice> AdviseCollectedResults(const CollectedResults& results);

// Only what to do instead. `limit_bytes` 0: the results were too much for the driver's heap.
ReportAdvice AdviseAgainstCollecting(const CollectedResults& results);

// For a toPandas that does not collect by Arrow, although this Spark can: the heap then holds the rows of few tasks at once. Nothing where
// it isn't known how it collects.
std::optional<ReportAdvice> AdviseArrowResults(const CollectedResults& results);

// spark.driver.maxResultSize, 1 GiB unless it is set; 0: not bounded.
uint64_t MaxResultBytes(const SparkSettings* settings);

}  // namespace memprof
