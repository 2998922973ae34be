// Makes executors' time lines smaller, without losing their peaks (timeline/time_samples.h).
#pragma once

#include <cstddef>
#include <vector>

#include "report/model.h"

namespace memprof {

// At most `most` samples (and at least a few); returns how many were dropped.
size_t FitTimeLine(size_t most, ReportTimeLine& line);

// So that all of a report's time lines together stay small: some 3 MB of JSON. `lines`: how many the report has, of which these may be
// some.
void FitTimeLines(size_t lines, std::vector<ReportExecutor>& executors);
void FitTimeLines(std::vector<ReportExecutor>& executors);  // all of them

}  // namespace memprof
