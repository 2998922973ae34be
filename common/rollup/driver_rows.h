// The report's driver: results by action, against spark.driver.maxResultSize. Used under the store's mutex.
#pragma once

#include <cstdint>
#include <optional>

#include "report/driver_model.h"
#include "rollup/state.h"

namespace memprof {

// Nothing: no job was seen.
std::optional<ReportDriver> DriverRow(const StoreState& state, size_t most_actions);

// Puts the numbers of partitions beside an action's results, and gives a notebook's cells the numbers that their user knows.
void PutPartitionsAndCells(const StoreState& state, ReportAction& action);

// Of a stage, as it was submitted first.
std::optional<uint64_t> PartitionsOf(const StoreState& state, int32_t stage_id);

}  // namespace memprof
