#include "gc/pause_clock.h"

#include <algorithm>

namespace memprof {

std::vector<Pause> PauseClock::Since(uint64_t after) const {
  std::vector<Pause> pauses;
  const uint64_t last = count();
  for (uint64_t number = std::max(after + 1, last >= kKept ? last - kKept + 2 : 1); number <= last; ++number) {
    const Slot& slot = slots_[number % kKept];
    const Pause pause{number, slot.start_ns.load(std::memory_order_acquire), slot.end_ns.load(std::memory_order_acquire)};
    if (slot.number.load(std::memory_order_acquire) == number) pauses.push_back(pause);  // else it was overwritten
  }
  return pauses;
}

}  // namespace memprof
