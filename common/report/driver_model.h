// Results that came back to the driver, by the action that asked for them: a part of the report model (report/model.h), same rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memprof {

// Serialised results of one stage's tasks, as Spark counts them against spark.driver.maxResultSize.
struct ReportStageResults {
  int32_t stage_id = 0, job_id = 0;
  bool broadcast = false;  // collected to be broadcast, not for the user's program
  uint64_t tasks = 0;      // whose results arrived
  std::optional<uint64_t> partitions;
  uint64_t result_bytes = 0, largest_result_bytes = 0;
};

// A line of the user's program.
struct ReportPlace {
  std::string file;
  uint32_t line = 0;
};

// A query of Spark SQL with all its jobs, or a job that belongs to none.
struct ReportAction {
  std::vector<int32_t> jobs, stages;  // those that it skipped included
  std::optional<int64_t> query_id;
  std::string call_site;       // as Spark tells it
  std::string function, file;  // of the call site, where it is a line of the user's program; empty: Spark doesn't know it
  uint32_t line = 0;
  std::vector<ReportPlace> built_at;  // where its plan was built, the oldest first; empty: not known
  std::string description;            // what the user calls it
  std::string status;                 // running, complete, failed, cancelled; unknown: it has ended, and Spark did not say how
  std::string failure_reason;
  int64_t started_ms = 0;
  std::optional<int64_t> ended_ms;
  uint64_t result_tasks = 0, result_bytes = 0, broadcast_bytes = 0;
  std::optional<uint64_t> result_rows, broadcast_rows;  // of a query whose plan has them
  std::vector<ReportStageResults> results;              // largest first
};

// Actions that have no row.
struct ReportOtherActions {
  uint64_t actions = 0, result_tasks = 0, result_bytes = 0, broadcast_bytes = 0;
};

struct ReportDriver {
  std::optional<uint64_t> max_result_bytes;  // of the results of one stage; 0: not bounded
  std::vector<ReportAction> actions;         // most bytes first
  std::optional<ReportOtherActions> other_actions;
};

}  // namespace memprof
