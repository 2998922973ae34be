#include "resident/residency.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace memprof {
namespace {

constexpr uint64_t kChunkPages = 2048;  // bytes of stack, too

const uint64_t page_bytes = getauxval(AT_PAGESZ);  // asked when the library is loaded

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

}  // namespace memprof
