// A container's regions at a moment, each against what was requested for it. Pure functions.
#pragma once

#include <vector>

#include "proto/memprof.pb.h"
#include "report/model.h"

namespace memprof {

// First the heap as a whole against its maximum, then the executor's regions in their order. Python's processes together count as
// overhead, or as pyspark where that has a budget. No bytes: they are not measured (reserved, user), or not reported yet. Empty
// where the executor's budget isn't known.
std::vector<ReportRegionUse> RegionsThen(const ReportExecutor& executor, const proto::Moment& moment);

}  // namespace memprof
