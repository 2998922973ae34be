// CollectorClock: the difference between the collectors' clock and ours. A GcInfo counts milliseconds since a moment of the JVM's
// start that is not available anywhere; Runtime's uptime began 20 to 200 ms earlier (measured on JDK 17 and 25). But JVMTI has
// seen each pause that a notification reports. Each notification votes for every difference that would make it one of the pauses
// of the same length. The true difference gets a vote from every notification; wrong ones are scattered.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gc/pause_clock.h"

namespace memprof {

class CollectorClock {
 public:
  void Clear() { votes_.clear(); }

  // A pause by its notification, in the collectors' milliseconds; `pauses`: the last ones, as JVMTI saw them.
  void Add(int64_t start_ms, int64_t end_ms, const std::vector<Pause>& pauses);

  // What to add to the collectors' time to get ours, accurate to about a millisecond; nothing while two values are equally
  // likely.
  std::optional<int64_t> OffsetNs() const;

 private:
  struct Vote {
    int64_t offset_ns;
    uint32_t votes;
  };
  std::vector<Vote> votes_;
};

}  // namespace memprof
