#include "boxes/process_rows.h"

#include <utility>

namespace memprof {

std::optional<ProcessRows> RowsOf(const BoxReader& box) {
  Result<BoxRows> rows = box.ReadRows();
  if (!rows.ok()) return std::nullopt;
  return ProcessRows{box.identity().pid, box.identity().process_start_ticks, *std::move(rows)};
}

}  // namespace memprof
