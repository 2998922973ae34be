#include "watch/kernel_kills.h"

namespace memprof {

void KernelKills::Reset(std::optional<uint64_t> counter) {
  counter_ = counter;
  was_read_ = true;
  shared_ = false;
  unexplained_.clear();
}

void KernelKills::Move(std::optional<uint64_t> counter) {
  counter_ = counter;
  was_read_ = true;
}

void KernelKills::Read(std::optional<uint64_t> counter, Clock::time_point now) {
  constexpr size_t kMost = 1024;
  while (!unexplained_.empty() && now - unexplained_.front() > kKept) unexplained_.pop_front();
  if (counter && counter_) {
    for (uint64_t kill = *counter_; kill < *counter && unexplained_.size() < kMost; ++kill) unexplained_.push_back(now);
  }
  if (counter) counter_ = counter;
  was_read_ = counter.has_value();
}

std::optional<uint64_t> KernelKills::Take(std::optional<Clock::time_point> gone) {
  if (!counter_ || shared_) return std::nullopt;
  if (unexplained_.empty() || (gone && unexplained_.front() > *gone + kLate)) return was_read_ ? std::optional<uint64_t>(0) : std::nullopt;
  unexplained_.pop_front();
  return 1;
}

bool KernelKills::TakeSince(Clock::time_point since) {
  if (shared_ || unexplained_.empty() || unexplained_.back() < since) return false;
  unexplained_.pop_back();
  return true;
}

}  // namespace memprof
