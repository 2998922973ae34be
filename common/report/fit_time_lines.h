// Makes executors' time lines smaller, without losing their peaks (timeline/time_samples.h).
#pragma once

#include <cstddef>
#include <vector>

#include "report/model.h"

namespace memprof {

// At most `most` samples (and at least a few); returns how many were dropped.
size_t FitTimeLine(size_t most, ReportTimeLine& line);

// So that all of a report's time lines together stay small: some 3 MB of JSON.
void FitTimeLines(std::vector<ReportExecutor>& executors);

}  // namespace memprof
