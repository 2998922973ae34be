// Executors' rows of the report: their budget (budget/) compared with what their agents measured.
#pragma once

#include <set>
#include <vector>

#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

ReportMoment MomentRow(const proto::Moment& moment);

inline constexpr size_t kMostExecutorRows = 500;

// Rows of at most kMostExecutorRows executors, those that used most; the others go to `rest`. Adds what was not available to
// `not_available`, and the counters of all agents to `counters`.
std::vector<ReportExecutor> ExecutorRows(const StoreState& state, std::set<ReportNotAvailable>& not_available, CounterSums& counters,
                                         ExecutorSums& rest);

}  // namespace memprof
