#include "rollup/driver_rows.h"

#include <fmt/format.h>

#include <string>

#include "advice/collected_results.h"
#include "base/notebook_cell.h"

namespace memprof {
namespace {

bool NameCell(const StoreState& state, std::string& file) {
  const std::string cell = CellName(file);
  if (cell.empty()) return false;
  file = state.interner->ShownAs(cell);
  return true;
}

}  // namespace

std::optional<uint64_t> PartitionsOf(const StoreState& state, int32_t stage_id) {
  const auto first = state.stages.lower_bound({stage_id, 0});
  const bool known = first != state.stages.end() && first->first.stage_id == stage_id && first->second.partitions >= 0;
  return known ? std::optional(static_cast<uint64_t>(first->second.partitions)) : std::nullopt;
}

void PutPartitionsAndCells(const StoreState& state, ReportAction& action) {
  for (ReportStageResults& results : action.results) results.partitions = PartitionsOf(state, results.stage_id);
  if (NameCell(state, action.file)) action.call_site = fmt::format("{} at {}:{}", action.function, action.file, action.line);
  for (ReportPlace& place : action.built_at) NameCell(state, place.file);
}

std::optional<ReportDriver> DriverRow(const StoreState& state, size_t most_actions) {
  if (state.actions.empty()) return std::nullopt;
  ReportDriver driver;
  driver.max_result_bytes = MaxResultBytes(&state.configuration);
  driver.actions = state.actions.Rows(most_actions, driver.other_actions);
  for (ReportAction& action : driver.actions) PutPartitionsAndCells(state, action);
  return driver;
}

}  // namespace memprof
