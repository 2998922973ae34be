#include "watch/time_line.h"

#include <algorithm>
#include <array>

#include "timeline/packing.h"

namespace memprof {
namespace {

constexpr std::array<uint64_t, 3> kLevels = {50, 85, 95};  // percent of the limit

}  // namespace

int TimeLine::LevelOf(const Tick& tick) {
  if (!tick.limit_bytes) return 0;
  const auto passed = [&](uint64_t percent) { return tick.used_bytes >= *tick.limit_bytes / 100 * percent; };
  return static_cast<int>(std::count_if(kLevels.begin(), kLevels.end(), passed));
}

TimeLine::Wanted TimeLine::Wants(const Tick& tick) const {
  if (!any_) return Wanted::kYes;
  const Clock::duration since = tick.at - sampled_at_;
  const bool news = tick.tasks_moved || LevelOf(tick) != level_ || tick.used_bytes > largest_sampled_ + largest_sampled_ / 20;
  if (since >= kSampleEvery || (news && since >= kLeastPause)) return Wanted::kYes;
  return tick.used_bytes > largest_used_ ? Wanted::kAsLargest : Wanted::kNo;
}

void TimeLine::Add(const Tick& tick, const TimeSample& sample, Wanted wanted) {
  largest_used_ = std::max(largest_used_, tick.used_bytes);
  if (wanted == Wanted::kAsLargest) {
    largest_unsaid_ = sample;
    return;
  }
  if (!any_) sent_at_ = tick.at;
  any_ = true;
  largest_sampled_ = std::max(largest_sampled_, largest_used_);
  sampled_at_ = tick.at;
  level_ = LevelOf(tick);
  if (largest_unsaid_ && largest_unsaid_->used() > sample.used()) Keep(*largest_unsaid_);
  largest_unsaid_.reset();
  Keep(sample);
}

void TimeLine::Keep(TimeSample sample) {
  sample.time_ms = std::max(sample.time_ms, last_ms_ + 1);  // the wall clock may be set back
  last_ms_ = sample.time_ms;
  unsent_.Add(sample);
}

bool TimeLine::Due(Clock::time_point now) const { return any_ && now - sent_at_ >= kSendEvery; }

std::optional<proto::TimeLine> TimeLine::Take(Clock::time_point now) {
  sent_at_ = now;
  if (unsent_.all().empty()) return std::nullopt;
  proto::TimeLine message;
  PackSamples(unsent_.all(), &message);
  unsent_.Clear();
  return message;
}

}  // namespace memprof
