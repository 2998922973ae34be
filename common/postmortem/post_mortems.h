// Post-mortems: one for each executor and each Python worker that died, made of what had arrived of it. Executors that were
// wanted gone (dynamic allocation, decommission, preemption, the application's end) have none; nor has a worker that Spark
// ended with its task.
//
// Made anew for each report from the store's state, so that a late message changes what is said and the order of arrival does
// not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

inline constexpr size_t kMaxPostMortems = 100;  // of a report, the first ones

// `executors`: the rows of the same report. `awaits_names` becomes true when a site shown awaits a name.
std::vector<ReportPostMortem> PostMortems(const StoreState& state, const std::vector<ReportExecutor>& executors, bool& awaits_names);

}  // namespace memprof
