#include "watch/time_line.h"

#include <algorithm>
#include <array>
#include <vector>

#include "timeline/packing.h"

namespace memprof {
namespace {

constexpr std::array<uint64_t, 3> kLevels = {50, 85, 95};  // percent of the limit

proto::TimeLine Packed(const std::vector<TimeSample>& samples) {
  proto::TimeLine message;
  PackSamples(samples, &message);
  return message;
}

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
    largest_unsaid_ = Unsaid{sample, tick.at};
    return;
  }
  if (!any_) sent_at_ = tick.at;
  any_ = true;
  largest_sampled_ = std::max(largest_sampled_, largest_used_);
  sampled_at_ = tick.at;
  level_ = LevelOf(tick);
  if (largest_unsaid_ && largest_unsaid_->sample.used() > sample.used()) Keep(largest_unsaid_->sample, largest_unsaid_->at);
  largest_unsaid_.reset();
  Keep(sample, tick.at);
}

void TimeLine::MeasureAnew() {
  largest_used_ = largest_sampled_ = 0;
  largest_unsaid_.reset();
}

// The wall clock may be set back. The line then goes on from its last sample by the clock that never is, in the same order and with the
// same distances, until the wall clock has caught up, at once or little by little.
void TimeLine::Keep(TimeSample sample, Clock::time_point at) {
  const int64_t wall_ms = sample.time_ms;
  const int64_t passed = std::max<int64_t>(1, std::chrono::duration_cast<std::chrono::milliseconds>(at - kept_at_).count());
  if (wall_ms < wall_ms_) {
    ahead_ms_ = behind_ms_ = last_ms_ + passed - wall_ms;
    caught_up_ms_ = 0;
  } else if (ahead_ms_ != 0) {
    caught_up_ms_ += wall_ms - wall_ms_ - passed;
    ahead_ms_ = std::clamp<int64_t>(behind_ms_ - caught_up_ms_, 0, ahead_ms_);  // it never grows: the two clocks are not read at once
  }
  sample.time_ms = std::max(wall_ms + ahead_ms_, last_ms_ + 1);
  last_ms_ = sample.time_ms;
  wall_ms_ = wall_ms;
  kept_at_ = at;
  unsent_.Add(sample);
}

bool TimeLine::Due(Clock::time_point now) const { return any_ && now - sent_at_ >= kSendEvery; }

std::optional<proto::TimeLine> TimeLine::Take(Clock::time_point now) {
  sent_at_ = now;
  if (unsent_.all().empty()) return std::nullopt;
  std::vector<TimeSample> samples(unsent_.all().begin(), unsent_.all().end());
  unsent_.Clear();
  proto::TimeLine message = Packed(samples);
  // What is cut is in the sum of all workers still.
  for (size_t workers = TimeSample::kWorkers / 2; message.ByteSizeLong() > kMostBytes && workers > 1; workers /= 2) {
    for (TimeSample& sample : samples) sample.KeepLargestWorkers(workers);
    message = Packed(samples);
  }
  return message;
}

}  // namespace memprof
