// Executors' rows of the report: budget (budget/) against what their agents measured.
#pragma once

#include <set>
#include <vector>

#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

ReportMoment MomentRow(const proto::Moment& moment);

inline constexpr size_t kMostExecutorRows = 500;

// Of at most kMostExecutorRows, those that used most; the others go to `rest`. Adds what could not be had to `not_available`, and the
// agents' counters, of all, to `counters`.
std::vector<ReportExecutor> ExecutorRows(const StoreState& state, std::set<ReportNotAvailable>& not_available, CounterSums& counters,
                                         ExecutorSums& rest);

}  // namespace memprof
