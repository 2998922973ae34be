// Executors' rows of the report: budget (budget/) against what their agents measured.
#pragma once

#include <set>
#include <vector>

#include "report/model.h"
#include "store/state.h"

namespace memprof {

// Adds what could not be had to `not_available`, and the agents' counters to `counters`.
std::vector<ReportExecutor> ExecutorRows(const StoreState& state, std::set<ReportNotAvailable>& not_available, CounterSums& counters);

}  // namespace memprof
