// What a report leaves out when only what began after a moment is asked for. Pure function.
#pragma once

#include <cstdint>

#include "report/model.h"

namespace memprof {

// Drops stages, actions, deaths and findings that began before `since_ms` (ms since the epoch), and says so among what is not available.
// What an executor is and was at its peak stays: it is not of one stage.
void LeaveOutBefore(int64_t since_ms, Report* report);

}  // namespace memprof
