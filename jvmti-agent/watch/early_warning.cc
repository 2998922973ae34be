#include "watch/early_warning.h"

#include <algorithm>

namespace memprof {
namespace {

constexpr uint64_t kFirst = 85, kStep = 2, kFall = 3;  // percent of the limit

uint64_t Percent(uint64_t limit, uint64_t percent) { return limit / 100 * percent; }

}  // namespace

bool EarlyWarning::IsNear(uint64_t used, uint64_t limit) { return used >= Percent(limit, kFirst); }

bool EarlyWarning::Passes(uint64_t used, uint64_t limit, Clock::time_point now) {
  if (refilled_ != Clock::time_point()) left_ = std::min<double>(kAtOnce, left_ + std::chrono::duration<double>(now - refilled_).count());
  refilled_ = now;
  highest_ = std::max(highest_, used);
  if (used + Percent(limit, kFall) <= highest_) {  // another climb begins
    highest_ = used;
    next_ = used + Percent(limit, kStep);
  }
  if (used < std::max(Percent(limit, kFirst), next_) || left_ < 1) return false;
  left_ -= 1;
  next_ = used + Percent(limit, kStep);
  return true;
}

}  // namespace memprof
