// A report.json in the formats of other tools: pure functions from the model's text to another text. A model that cannot be read gives a
// Status with the reason; none of them computes figures of its own.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "report/exports/stacks.h"

namespace memprof {

// UTF-8 text.
Result<std::string> RenderCollapsed(std::string_view report_json, Measure measure);
Result<std::string> RenderSpeedscope(std::string_view report_json);
Result<std::string> RenderCsv(std::string_view report_json);

// Bytes.
Result<std::string> RenderPprof(std::string_view report_json);

}  // namespace memprof
