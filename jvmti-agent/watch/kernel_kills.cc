#include "watch/kernel_kills.h"

#include <algorithm>
#include <utility>

namespace memprof {

void KernelKills::Reset(std::optional<uint64_t> counter) {
  counter_ = counter;
  was_read_ = true;
  shared_ = false;
  read_at_ = read_before_ = {};
  unexplained_.clear();
}

void KernelKills::Move(std::optional<uint64_t> before, std::optional<uint64_t> counter, Clock::time_point now) {
  Count(before, now);
  counter_ = counter;
  was_read_ = true;
}

void KernelKills::Read(std::optional<uint64_t> counter, Clock::time_point now) {
  read_before_ = std::exchange(read_at_, now);
  Count(counter, now);
}

void KernelKills::Count(std::optional<uint64_t> counter, Clock::time_point now) {
  constexpr size_t kMost = 1024;
  while (!unexplained_.empty() && now - unexplained_.front() > kKept) unexplained_.pop_front();
  if (counter && counter_) {
    for (uint64_t kill = *counter_; kill < *counter && unexplained_.size() < kMost; ++kill) unexplained_.push_back(now);
  }
  if (counter) counter_ = counter;
  was_read_ = counter.has_value();
}

std::optional<KernelKills::Explained> KernelKills::Take(std::optional<Clock::time_point> gone) {
  if (!counter_ || shared_) return std::nullopt;
  const auto later = gone ? std::upper_bound(unexplained_.begin(), unexplained_.end(), *gone + kLate) : unexplained_.end();
  if (later == unexplained_.begin()) return was_read_ ? std::optional(Explained{}) : std::nullopt;
  const Clock::duration outlived = (gone ? *gone - kFoundLate : read_before_) - *(later - 1);
  unexplained_.erase(later - 1);
  return Explained{1, std::max(std::chrono::milliseconds(0), std::chrono::duration_cast<std::chrono::milliseconds>(outlived))};
}

bool KernelKills::TakeSince(Clock::time_point since) {
  if (shared_ || unexplained_.empty() || unexplained_.back() < since) return false;
  unexplained_.pop_back();
  return true;
}

}  // namespace memprof
