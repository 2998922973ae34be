// Makes a report's rows smaller: the heaviest stay, and what goes is told by the rows themselves. Totals never change.
#pragma once

#include <cstddef>

#include "report/model.h"

namespace memprof {

// Keeps the first `sites` sites of each origin and the first `lines` lines, which are the heaviest; what the others allocated goes to
// the remainders. Returns how many sites went.
size_t KeepHeaviest(size_t sites, size_t lines, ReportSiteGroup& group);

// Keeps the first `most` processes; at a moment, what the others held goes to the moment's unattributed bytes.
void KeepLargest(size_t most, std::vector<ReportProcess>& processes);
void KeepLargest(size_t most, ReportMoment& moment);

// How many retained sites each of a report's executors shows, so that all of them stay small beside the rest.
size_t RetainedSitesShown(size_t executors);

// Keeps the first `most` sites; the others are summed up in its `other_` figures.
void KeepLargest(size_t most, ReportRetained& retained);
void KeepLargest(size_t most, ReportHeapShortage& heap);

// Keeps the first `most` actions; the others are summed up in `other_actions`.
void KeepLargest(size_t most, ReportDriver& driver);

}  // namespace memprof
