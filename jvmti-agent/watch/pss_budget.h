// PssBudget: when the watcher may read PSS, which costs some 20 ms per GB. At most once a second, and for at most kAtStart and 0.2 % of
// the time: an executor that has just begun grows fast, and what its processes share is to be known soon. For a maximum that is hardly
// higher than the last one, at most 0.1 %. Not thread-safe.
#pragma once

#include <chrono>

namespace memprof {

class PssBudget {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kEvery{1};
  static constexpr std::chrono::milliseconds kAtStart{100};
  static constexpr int kShare = 500, kLeastShare = 1000;  // one part in so many

  // As far as the last reading tells what the next one will take.
  bool Allows(bool notable, Clock::time_point now) const {
    const Clock::duration since = now - read_at_;
    if (since < kEvery) return false;
    return since >= cost_ * (notable ? kShare : kLeastShare) || (notable && spent_ + cost_ <= kAtStart);
  }

  void Read(Clock::time_point begin, Clock::time_point end) {
    read_at_ = end;
    cost_ = end - begin;
    spent_ += cost_;
  }

  Clock::time_point read_at() const { return read_at_; }

 private:
  Clock::time_point read_at_;
  Clock::duration cost_{}, spent_{};
};

}  // namespace memprof
