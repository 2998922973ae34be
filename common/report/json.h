// The report model as JSON (docs/report.schema.json) and back. Key order is fixed, so that equal models give equal text.
// Strings that are not UTF-8 are written with U+FFFD in place of the bad bytes. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "report/model.h"

namespace memprof {

std::string WriteReportJson(const Report& report);

// Tolerates unknown and missing keys (another minor version wrote the file); kCorrupt for what isn't JSON, isn't a
// report, or has another schemaVersion.
Result<Report> ReadReportJson(std::string_view text);

}  // namespace memprof
