// EarlyWarning: when last words have to leave, for a container that the kernel kills leaves none. The first time that use
// passes 85 % of the limit, then at each further 2 % of the limit above all before. A fall of 3 % begins another climb, whose
// first warning is 2 % above its foot.
//
// One a second in the long run. A climb at a gigabyte a second is over before the first second is, so up to eight may leave at
// once: as many as there are steps between 85 % and the limit. A step that finds none left is made up for as soon as one is.
// Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>

namespace memprof {

class EarlyWarning {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kAtOnce = 8;

  // `used`: without page cache that can be dropped. True: send now.
  bool Passes(uint64_t used, uint64_t limit, Clock::time_point now);
  static bool IsNear(uint64_t used, uint64_t limit);  // at 85 % or above

 private:
  uint64_t next_ = 0;     // 0: not above 85 % yet
  uint64_t highest_ = 0;  // of this climb
  double left_ = kAtOnce;
  Clock::time_point refilled_{};
};

}  // namespace memprof
