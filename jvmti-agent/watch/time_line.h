// TimeLine: which ticks of the watcher become samples of the executor's life, and those that weren't sent yet.
//
// There is one sample a second. There are more, at most five a second, when use passes 50, 85 or 95 % of the limit either way, when it
// is 5 % above its earlier maximum, when a task has begun or ended, and when the JVM was stopped for long. The tick of the largest use
// so far is a sample, too, however short it was: it is added with the next one. Bounded: kMostUnsent samples, the older ones thinned
// (timeline/time_samples.h). They are sent every kSendEvery. 500 executors send less than 256 KB a second together.
//
// Not thread-safe: used by the watcher's thread only.
#pragma once

#include <chrono>
#include <optional>

#include "proto/memprof.pb.h"
#include "timeline/time_samples.h"

namespace memprof {

class TimeLine {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kMostUnsent = 40;
  static constexpr std::chrono::seconds kSendEvery{10}, kSampleEvery{1};
  // Of a message: beyond it, samples name fewer workers. What many executors may send to one driver:
  static constexpr size_t kDriversBytesPerSecond = 256u << 10, kMostExecutors = 500;
  static constexpr size_t kMostBytes = kDriversBytesPerSecond * kSendEvery.count() / kMostExecutors;
  static constexpr std::chrono::milliseconds kLeastPause{200};

  // A tick's figures as far as the rules need them, in bytes.
  struct Tick {
    uint64_t used_bytes = 0;
    std::optional<uint64_t> limit_bytes;
    bool tasks_moved = false;  // since the last sample a task began or ended, or the JVM was stopped for long
    Clock::time_point at;
  };
  enum class Wanted { kNo, kAsLargest, kYes };

  // Whether the tick is to be passed to Add(): as a sample, or as the largest so far.
  Wanted Wants(const Tick& tick) const;
  void Add(const Tick& tick, const TimeSample& sample, Wanted wanted);
  void MeasureAnew();  // use is measured of something else from now on: what was the largest is no more

  bool Due(Clock::time_point now) const;
  // What was not sent before; nothing when there is none.
  std::optional<proto::TimeLine> Take(Clock::time_point now);

 private:
  static int LevelOf(const Tick& tick);
  void Keep(TimeSample sample, Clock::time_point at);

  struct Unsaid {
    TimeSample sample;
    Clock::time_point at;
  };

  TimeSamples unsent_{kMostUnsent};
  std::optional<Unsaid> largest_unsaid_;
  uint64_t largest_used_ = 0, largest_sampled_ = 0;
  int level_ = 0;
  bool any_ = false;
  int64_t last_ms_ = 0, wall_ms_ = 0;  // of the last sample, and what the wall clock said
  // How far the line is ahead of the wall clock, how far it was when that was last set back, and how far that had come since against the
  // clock that is never set.
  int64_t ahead_ms_ = 0, behind_ms_ = 0, caught_up_ms_ = 0;
  Clock::time_point sampled_at_, sent_at_, kept_at_;
};

}  // namespace memprof
