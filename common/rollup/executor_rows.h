// Executors' rows of the report: their budget (budget/) compared with what their agents measured.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

ReportMoment MomentRow(const proto::Moment& moment);

// Bytes at that moment: RSS of Python's processes, and of programs that something there has started.
uint64_t BesideJvm(const proto::Moment& moment);

inline constexpr size_t kMostExecutorRows = 500;

// Rows of at most kMostExecutorRows executors, those that used most; the others go to `rest`. Adds what was not available to
// `not_available`, and the counters of all agents to `counters`.
std::vector<ReportExecutor> ExecutorRows(const StoreState& state, std::set<ReportNotAvailable>& not_available, CounterSums& counters,
                                         ExecutorSums& rest);

// Whether the row "driver" is of a JVM that is no executor: everywhere but in local mode.
bool DriverIsApart(const StoreState& state);

// The ids of these executors, those that used most first.
std::vector<std::string_view> ExecutorsWithRow(const StoreState& state);

// Finds the row of an executor: a report's, or one made for those that it has no room for. Refers to both; not thread-safe.
class RowsOfExecutors {
 public:
  RowsOfExecutors(const StoreState& state, const std::vector<ReportExecutor>& shown);
  const ReportExecutor* Of(std::string_view id);  // lives as long as this; null: no such executor

 private:
  const StoreState& state_;
  std::map<std::string_view, const ReportExecutor*> rows_;
  std::vector<std::unique_ptr<ReportExecutor>> others_;
};

}  // namespace memprof
