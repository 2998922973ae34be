// CollectorClock: how the clock of collections lies to ours. A GcInfo counts milliseconds since some moment of the JVM's start that
// nothing else tells: Runtime's uptime began 20 to 200 ms earlier (measured on JDK 17 and 25). But each pause that a notification
// tells of was seen by JVMTI as well. Each notification votes for every difference that would make it one of the pauses that lasted
// as long; the true one gets a vote from all of them, the others scatter.
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

  // What has to be added to the collectors' time for ours, to about a millisecond; nothing while two are as likely.
  std::optional<int64_t> OffsetNs() const;

 private:
  struct Vote {
    int64_t offset_ns;
    uint32_t votes;
  };
  std::vector<Vote> votes_;
};

}  // namespace memprof
