// A stage's tasks as JSON and back: columns, an entry a task, for there may be very many. Pure functions.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "report/model.h"

namespace memprof {

// How many rows of each stage a report's file shows: all where there are few; otherwise each stage has an equal share of the
// room, and what one leaves the others have.
std::vector<size_t> TaskRowsShown(std::span<const ReportStage> stages);

// The rows from `begin` on, at most `length`.
nlohmann::ordered_json TaskColumns(const ReportStage& stage, size_t begin, size_t length);

// Columns that are missing or of another length leave what they would have told unknown.
void ReadTaskColumns(const nlohmann::ordered_json& columns, ReportStage& stage);

}  // namespace memprof
