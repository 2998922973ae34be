#include "watch/native_now.h"

namespace memprof {

std::optional<uint64_t> NativeNow(const WatchedProcess& process) {
  if (!process.rows || process.rss_bytes < process.rows->rss_bytes - process.rows->rss_bytes / 10) return std::nullopt;
  uint64_t bytes = 0;
  for (const RssRows::Row& row : process.rows->rows) {
    if (row.name.starts_with("native: ") || row.name.starts_with("pool: ")) bytes += row.bytes;
  }
  return bytes;
}

}  // namespace memprof
