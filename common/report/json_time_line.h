// An executor's life as JSON and back: lists with one entry for each sample. Pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "report/model.h"

namespace memprof {

nlohmann::ordered_json TimeLineJson(const ReportTimeLine& line);

// Nothing unless there are times, in ascending order. If another list is missing, or an entry is impossible, its figures are unknown.
std::optional<ReportTimeLine> ReadTimeLine(const nlohmann::ordered_json& json);

}  // namespace memprof
