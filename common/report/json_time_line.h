// An executor's life as JSON and back: lists, an entry a sample. Pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "report/model.h"

namespace memprof {

nlohmann::ordered_json TimeLineJson(const ReportTimeLine& line);

// Nothing without times that grow; other lists that are missing, or entries that cannot be, leave their figures unknown.
std::optional<ReportTimeLine> ReadTimeLine(const nlohmann::ordered_json& json);

}  // namespace memprof
