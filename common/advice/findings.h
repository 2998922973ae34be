// Findings: what is worth changing although nothing died. Each rule is a pure function from measured figures to one finding, or
// nothing.
#pragma once

#include <optional>

#include "advice/cached_dataset.h"
#include "budget/budget.h"
#include "report/model.h"

namespace memprof {

// The rules, one file each. `settings` may be null.
std::optional<ReportFinding> FindFullContainer(const ReportExecutor& executor, const SparkSettings* settings);  // of one that didn't die
std::optional<ReportFinding> FindCachedDataThatSpills(const ReportStage& stage, const CachedByMode& cached, const SparkSettings* settings);
std::optional<ReportFinding> FindUnevenTasks(const ReportStage& stage);
std::optional<ReportFinding> FindGrowingLine(const ReportLeak& leak);

}  // namespace memprof
