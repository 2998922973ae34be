// Reduces a report to what began after a moment. Pure function.
#pragma once

#include <cstdint>

#include "report/model.h"

namespace memprof {

// Drops stages, actions, deaths and findings that began before `since_ms` (ms since the epoch), and says so among what is not
// available. Executors and their peaks stay: they belong to no single stage.
void LeaveOutBefore(int64_t since_ms, Report* report);

}  // namespace memprof
