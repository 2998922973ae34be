// The words of a report's JSON: titles, places, tones, the verdict. They follow from the report's other values. So they are written, but
// never read.
#pragma once

#include <nlohmann/json.hpp>

#include "report/model.h"

namespace memprof {

nlohmann::ordered_json VerdictJson(const Report& report);
nlohmann::ordered_json CounterGroupsJson(const Report& report);

// Adds words to a row's JSON and to the objects in it. Sites and lines may be missing there.
void AddWords(const ReportExecutor& executor, nlohmann::ordered_json& json);
void AddWords(const ReportStage& stage, nlohmann::ordered_json& json);
void AddWords(const ReportLeak& leak, nlohmann::ordered_json& json);
void AddWords(const ReportPostMortem& death, nlohmann::ordered_json& json);
void AddWords(const ReportDriver& driver, nlohmann::ordered_json& json);

}  // namespace memprof
