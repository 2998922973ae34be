// The cold half.
#include <fcntl.h>
#include <unistd.h>

#include "resident/rss_reader.h"

namespace memprof {

void RssReader::Open() { fd_ = open("/proc/self/statm", O_RDONLY | O_CLOEXEC); }

void RssReader::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

}  // namespace memprof
