#include "resident/map_neighbours.h"

#include <algorithm>

namespace memprof {
namespace {

constexpr uintptr_t kPageMask = 4095;
// What lies below a thread's stack: glibc's guard page, or HotSpot's guard pages (red, yellow and reserved zone).
constexpr uintptr_t kGuardBytes = 4096, kHotSpotsGuardBytes = 4 * 4096;

}  // namespace

uintptr_t MapNeighbours::BssEnd(const Mapping& mapping) const {
  if (!IsAnonymous(mapping) || library_end_ != mapping.begin || module_end_ == nullptr) return mapping.begin;
  const uintptr_t end = module_end_(mapping.begin - 1);
  return std::clamp((end + kPageMask) & ~kPageMask, mapping.begin, mapping.end);
}

bool MapNeighbours::IsStack(const Mapping& mapping) const {
  if (mapping.Named("[stack]")) return true;
  return IsAnonymous(mapping) && mapping.writable && guard_end_ == mapping.begin;
}

void MapNeighbours::Pass(const Mapping& mapping) {
  const uintptr_t size = mapping.end - mapping.begin;
  const bool guard = !mapping.readable && IsAnonymous(mapping) && (size == kGuardBytes || size == kHotSpotsGuardBytes);
  library_end_ = mapping.of_file && mapping.is_private ? mapping.end : 0;
  guard_end_ = guard ? mapping.end : 0;
}

}  // namespace memprof
