// Makes executors' time lines smaller, without losing their peaks (timeline/time_samples.h).
#pragma once

#include <cstddef>
#include <vector>

#include "report/model.h"

namespace memprof {

// At most `most` samples (and at least a few); returns how many were dropped.
size_t FitTimeLine(size_t most, ReportTimeLine& line);

// Names at most `most` workers in each sample, those that held most; the others stay in the sum of all.
void KeepLargestWorkers(size_t most, ReportTimeLine& line);

inline constexpr size_t kFewestWorkers = 3;  // named in each sample, however many time lines there are

// So that all of a report's time lines together stay small: some 3 MB of JSON. With more than seven lines their samples name fewer
// workers, but at least kFewestWorkers. `lines`: how many the report has, of which these may be some.
void FitTimeLines(size_t lines, std::vector<ReportExecutor>& executors);
void FitTimeLines(std::vector<ReportExecutor>& executors);  // all of them

}  // namespace memprof
