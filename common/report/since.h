// Reduces a report to what began after a moment. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "report/model.h"

namespace memprof {

// Drops stages, actions, deaths and findings that began before `since_ms` (ms since the epoch), and says so among what is not
// available. Executors and their peaks stay: they belong to no single stage.
void LeaveOutBefore(int64_t since_ms, Report* report);

// The same from text to text. Errors as of ReadReportJson.
Result<std::string> ReportJsonSince(std::string_view report_json, int64_t since_ms);

}  // namespace memprof
