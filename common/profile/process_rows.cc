#include "profile/process_rows.h"

#include <algorithm>
#include <vector>

namespace memprof {

void AddProcessRows(const BoxRows& rows, proto::Process* process) {
  process->set_peak_rss_bytes(std::max(process->peak_rss_bytes(), rows.rss_bytes));
  process->set_rows_rss_bytes(rows.rss_bytes);
  std::vector<BoxRows::Row> sorted = rows.rows;
  std::stable_sort(sorted.begin(), sorted.end(), [](const BoxRows::Row& a, const BoxRows::Row& b) { return a.bytes > b.bytes; });
  int64_t unattributed = static_cast<int64_t>(process->peak_rss_bytes());
  for (const BoxRows::Row& row : sorted) {
    AddRow(row.name, row.bytes, process->mutable_peak_rows());
    unattributed -= static_cast<int64_t>(row.bytes);
  }
  process->set_unattributed_bytes(unattributed);
}

}  // namespace memprof
