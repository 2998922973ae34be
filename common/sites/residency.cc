#include "sites/residency.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace memprof {
namespace {

constexpr uint64_t kChunkPages = 2048;  // bytes of stack, too

const uint64_t page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));  // asked when the library is loaded

}  // namespace

uint64_t ResidentBytes(uintptr_t address, uint64_t size) {
  const uint64_t page = page_bytes;
  const uintptr_t end = address + size;
  int saved_errno = errno;
  unsigned char present[kChunkPages];
  uint64_t resident = 0;
  for (uintptr_t at = address / page * page; at < end;) {
    uintptr_t chunk_end = std::min<uintptr_t>(at + kChunkPages * page, (end + page - 1) / page * page);
    if (mincore(reinterpret_cast<void*>(at), chunk_end - at, present) == 0) {
      for (uint64_t i = 0; at + i * page < chunk_end; ++i) {
        if ((present[i] & 1) == 0) continue;
        resident += std::min(end, at + (i + 1) * page) - std::max(address, at + i * page);
      }
    }
    at = chunk_end;
  }
  errno = saved_errno;
  return resident;
}

void RssReader::Open() { fd_ = open("/proc/self/statm", O_RDONLY | O_CLOEXEC); }

void RssReader::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

uint64_t RssReader::Read() const {
  if (fd_ < 0) return 0;
  int saved_errno = errno;
  char text[128];
  ssize_t got = pread(fd_, text, sizeof text - 1, 0);
  errno = saved_errno;
  if (got <= 0) return 0;
  text[got] = '\0';
  const char* at = text;
  while (*at >= '0' && *at <= '9') ++at;  // size
  while (*at == ' ') ++at;
  uint64_t pages = 0;
  for (; *at >= '0' && *at <= '9'; ++at) pages = pages * 10 + static_cast<uint64_t>(*at - '0');
  return pages * page_bytes;
}

}  // namespace memprof
