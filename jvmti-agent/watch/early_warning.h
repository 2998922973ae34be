// EarlyWarning: when last words must be sent, because a container that the kernel kills can't send any. A warning is due the first
// time that use passes 85 % of the limit, then at each further 2 % of the limit above the last warning. After a fall of 3 % of the
// limit, another climb begins; its first warning comes 2 % above its lowest point, from 85 % on.
//
// In the long run there is at most one warning a second. But a climb of a gigabyte a second takes less than a second, so up to eight
// warnings may come at once: as many as there are steps between 85 % and the limit. A warning beyond that is delayed until the next is
// allowed. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>

namespace memprof {

class EarlyWarning {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kAtOnce = 8;

  // `used`: use without page cache. True: send now.
  bool Passes(uint64_t used, uint64_t limit, Clock::time_point now);
  static bool IsNear(uint64_t used, uint64_t limit);  // at 85 % or above

 private:
  uint64_t next_ = 0;     // 0: not above 85 % yet
  uint64_t highest_ = 0;  // of this climb
  double left_ = kAtOnce;
  Clock::time_point refilled_{};
};

}  // namespace memprof
