// A stage's tasks as JSON and back. There may be very many tasks, so each figure is a column with one entry for each task. Pure
// functions.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "report/model.h"

namespace memprof {

// How many rows of each stage a report's file shows: all of them if there are few; otherwise each stage gets an equal share of the
// room, and others get what a stage doesn't need.
std::vector<size_t> TaskRowsShown(std::span<const ReportStage> stages);

// The rows from `begin` on, at most `length`.
nlohmann::ordered_json TaskColumns(const ReportStage& stage, size_t begin, size_t length);

// If a column is missing or has another length, its figures are unknown.
void ReadTaskColumns(const nlohmann::ordered_json& columns, ReportStage& stage);

}  // namespace memprof
