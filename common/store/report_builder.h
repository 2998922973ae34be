// Makes the report model from the store's state. Changes nothing; the same state gives the same report, in whatever order
// messages and events came.
#pragma once

#include <vector>

#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

struct BuiltReport {
  Report report;
  bool awaits_names = false;  // a site of the report has a native frame without name, and none was refused for it
};

BuiltReport BuildReport(const StoreState& state, bool unfinished);

// Lines that leave more behind with every task.
std::vector<ReportLeak> Leaks(const StoreState& state);

// The rows of these stage attempts, each with as many sites as if its stage were the only one of a report.
std::vector<ReportStage> BuildStages(const StoreState& state, const std::vector<StageKey>& keys);

}  // namespace memprof
