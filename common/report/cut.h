// Makes a report's rows smaller: the heaviest stay, and the rows themselves say what was cut. Totals never change.
#pragma once

#include <cstddef>

#include "report/model.h"

namespace memprof {

// Keeps the first `sites` sites of each origin and the first `lines` lines, which are the heaviest; what the others allocated is
// added to the remainders. Returns how many sites were cut.
size_t KeepHeaviest(size_t sites, size_t lines, ReportSiteGroup& group);

// Keeps the first `most` processes; at a moment, what the others held goes to the moment's unattributed bytes.
void KeepLargest(size_t most, std::vector<ReportProcess>& processes);
void KeepLargest(size_t most, ReportMoment& moment);

// How many retained sites each of a report's executors shows, so that they stay a small part of the report.
size_t RetainedSitesShown(size_t executors);

// Keeps the first `most` sites; the others are summed up in its `other_` figures.
void KeepLargest(size_t most, ReportRetained& retained);
void KeepLargest(size_t most, ReportHeapShortage& heap);

// Keeps the first `most` actions; the others are summed up in `other_actions`.
void KeepLargest(size_t most, ReportDriver& driver);

}  // namespace memprof
