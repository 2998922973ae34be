// RemoteClock: how far an executor's clock is ahead of the driver's. Hosts whose clocks differ by minutes exist, and times of both meet
// in a post-mortem: when Spark removed an executor, and what that had measured before. Where a death's own time is the executor's, the
// report has it by the driver's clock; only the time of a survived error of the heap, which is part of its key, stays as it came. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/clock.h"

namespace memprof {

class RemoteClock {
 public:
  static constexpr int64_t kSameMs = 3'000;      // a smaller change can't be told from the way that the messages took
  static constexpr int64_t kRecentMs = 300'000;  // a pause of either machine stops its clock, too: leads from before it count no more

  // A message that tells of `there`, an instant of the executor, arrived at `here`, an instant of the driver. In any order and any number
  // of times. By the clocks that are never set, a message has taken as much longer than the fastest recent one as it lags behind that:
  // without this delay, what is left is the difference of the clocks that people set.
  void Arrived(const Instant& there, const Instant& here) {
    if (!IsPlausible(there) || there.clock_ms < newest_clock_ms_) return;
    newest_clock_ms_ = there.clock_ms;
    const int64_t lead_ms = there.clock_ms - here.clock_ms;
    if (!lead_ms_ || here.clock_ms - began_ms_ >= kRecentMs) {
      earlier_lead_ms_ = lead_ms_.value_or(lead_ms);
      lead_ms_ = lead_ms;
      began_ms_ = here.clock_ms;
    }
    lead_ms_ = std::max(lead_ms, *lead_ms_);
    const int64_t delay_ms = std::max(*lead_ms_, earlier_lead_ms_) - lead_ms;
    const int64_t ahead_ms = there.time_ms - (here.time_ms - delay_ms);
    if (std::abs(ahead_ms - ahead_ms_) >= kSameMs) ahead_ms_ = ahead_ms;
  }

  // A time of the executor's clock, by the driver's, and the other way. Unchanged while no message has come.
  int64_t ToDriver(int64_t time_ms) const { return Plausible(time_ms) - ahead_ms_; }
  int64_t FromDriver(int64_t time_ms) const { return Plausible(time_ms) + ahead_ms_; }

 private:
  // Strangers may send anything; sums of such times can't overflow.
  static constexpr int64_t kMost = int64_t{1} << 50;
  static bool IsPlausible(const Instant& instant) {
    return instant.clock_ms > 0 && instant.clock_ms < kMost && instant.time_ms > 0 && instant.time_ms < kMost;
  }
  static int64_t Plausible(int64_t time_ms) { return std::clamp(time_ms, -kMost, kMost); }

  std::optional<int64_t> lead_ms_;              // the largest since began_ms_
  int64_t earlier_lead_ms_ = 0, began_ms_ = 0;  // the largest of the time before that
  int64_t newest_clock_ms_ = 0, ahead_ms_ = 0;
};

}  // namespace memprof
