// What this version doesn't measure of an application, said once in its report where somebody could look for it. Pure function.
#pragma once

#include <set>

#include "report/model.h"

namespace memprof {

// `dropped_retained`: the store has dropped what some executors' heaps retained.
void AddNeverMeasured(const Report& report, bool dropped_retained, std::set<ReportNotAvailable>& not_available);

}  // namespace memprof
