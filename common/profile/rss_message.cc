#include "profile/rss_message.h"

#include <algorithm>
#include <vector>

namespace memprof {

void AddRssRows(const RssRows& rows, proto::Process* process) {
  process->set_peak_rss_bytes(std::max(process->peak_rss_bytes(), rows.rss_bytes));
  process->set_rows_rss_bytes(rows.rss_bytes);
  std::vector<RssRows::Row> sorted = rows.rows;
  std::stable_sort(sorted.begin(), sorted.end(), [](const RssRows::Row& a, const RssRows::Row& b) { return a.bytes > b.bytes; });
  int64_t unattributed = static_cast<int64_t>(process->peak_rss_bytes());
  for (const RssRows::Row& row : sorted) {
    AddNamedBytes(row.name, row.bytes, process->mutable_peak_rows());
    unattributed -= static_cast<int64_t>(row.bytes);
  }
  process->set_unattributed_bytes(unattributed);
}

}  // namespace memprof
