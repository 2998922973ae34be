// The cold half.
#include <fcntl.h>

#include "resident/rss_reader.h"

namespace memprof {

void RssReader::Open() { file_.Take(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)); }

void RssReader::Close() { file_.Close(); }

}  // namespace memprof
