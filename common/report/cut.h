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

}  // namespace memprof
