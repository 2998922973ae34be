#include "watch/time_line.h"

#include <gtest/gtest.h>

#include <random>

#include "timeline/packing.h"

namespace memprof {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Wanted = TimeLine::Wanted;

constexpr uint64_t kLimit = 1'000'000'000;
const TimeLine::Clock::time_point kBegin = TimeLine::Clock::time_point(seconds(1000));

// What the watcher does with a tick.
bool Tick(TimeLine& line, int64_t ms, uint64_t used, bool tasks_moved = false) {
  const TimeLine::Tick tick{used, kLimit, tasks_moved, kBegin + milliseconds(ms)};
  const Wanted wanted = line.Wants(tick);
  TimeSample sample;
  sample.time_ms = 1'700'000'000'000 + ms;
  sample.Set(Gauge::kUsed, used);
  if (wanted != Wanted::kNo) line.Add(tick, sample, wanted);
  return wanted == Wanted::kYes;
}

std::vector<TimeSample> Taken(TimeLine& line) {
  const std::optional<proto::TimeLine> message = line.Take(kBegin + seconds(500));
  return message ? UnpackSamples(*message).value() : std::vector<TimeSample>();
}

TEST(TimeLine, ASampleASecond) {
  TimeLine line;
  int samples = 0;
  for (int ms = 0; ms < 10'000; ms += 20) samples += Tick(line, ms, 100'000'007);
  EXPECT_EQ(samples, 10);
}

TEST(TimeLine, SoonerAtThresholdsPeaksAndTasksButNotAtOnce) {
  TimeLine line;
  EXPECT_TRUE(Tick(line, 0, 490'000'003));
  EXPECT_FALSE(Tick(line, 180, 500'000'003)) << "too soon";
  EXPECT_TRUE(Tick(line, 200, 500'000'003)) << "passes half of the limit";
  EXPECT_FALSE(Tick(line, 420, 500'000'003));
  EXPECT_TRUE(Tick(line, 440, 499'000'003)) << "and back";
  EXPECT_FALSE(Tick(line, 660, 499'000'003));
  EXPECT_TRUE(Tick(line, 680, 499'000'003, true)) << "a task has begun";
  EXPECT_FALSE(Tick(line, 900, 499'500'003)) << "a peak, but not by much";
  EXPECT_TRUE(Tick(line, 920, 560'000'003)) << "5 % above all before";
}

TEST(TimeLine, TheLargestUseIsThereHoweverShortItWas) {
  TimeLine line;
  Tick(line, 0, 300'000'007);
  Tick(line, 40, 310'000'003);
  Tick(line, 60, 700'000'001);  // within the pause
  Tick(line, 80, 310'000'003);
  Tick(line, 1060, 300'000'007);
  const std::vector<TimeSample> samples = Taken(line);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[1].time_ms, 1'700'000'000'060);
  EXPECT_EQ(samples[1].used(), TimeSample::ToKib(700'000'001));
}

TEST(TimeLine, WhatWasTakenIsNotSentAgain) {
  TimeLine line;
  Tick(line, 0, 300'000'007);
  EXPECT_FALSE(line.Due(kBegin + seconds(9)));
  EXPECT_TRUE(line.Due(kBegin + seconds(10)));
  EXPECT_EQ(Taken(line).size(), 1u);
  EXPECT_FALSE(line.Due(kBegin + seconds(501)));
  EXPECT_TRUE(Taken(line).empty());
}

TEST(TimeLine, AClockThatIsSetBackStillGivesAnOrder) {
  TimeLine line;
  for (int64_t time_ms : {5000, 4000, 6000}) {
    TimeSample sample;
    sample.time_ms = time_ms;
    line.Add({1, kLimit, false, kBegin}, sample, Wanted::kYes);
  }
  EXPECT_EQ(Taken(line).size(), 3u);
}

TEST(TimeLine, AClockThatIsSetBackMayCatchUpLittleByLittle) {
  constexpr int64_t kEpoch = 1'700'000'000'000;
  TimeLine line;
  const auto add = [&line](int64_t ms, int64_t wall_ms) {
    TimeSample sample;
    sample.time_ms = kEpoch + wall_ms;
    line.Add({1, kLimit, false, kBegin + milliseconds(ms)}, sample, Wanted::kYes);
  };
  add(0, 10'000);
  add(1'000, 6'000);                                                                                   // five seconds back
  for (int64_t second = 2; second <= 12; ++second) add(1'000 * second, 6'000 + 1'500 * (second - 1));  // and half a second forward each
  const std::vector<TimeSample> samples = Taken(line);
  ASSERT_EQ(samples.size(), 13u);
  EXPECT_EQ(samples[1].time_ms, kEpoch + 11'000);
  for (int64_t second = 2; second <= 11; ++second) EXPECT_EQ(samples[second].time_ms, kEpoch + 10'000 + 1'000 * second) << second;
  EXPECT_EQ(samples[12].time_ms, kEpoch + 22'500) << "it has caught up";
}

// Of another measure, what was the largest is none any more.
TEST(TimeLine, WhatIsMeasuredAnewHasALargestOfItsOwn) {
  TimeLine line;
  const TimeSample sample;
  line.Add({kLimit / 5 * 2, kLimit, false, kBegin}, sample, Wanted::kYes);
  EXPECT_EQ(line.Wants({kLimit / 5, kLimit, false, kBegin + milliseconds(300)}), Wanted::kNo);
  line.MeasureAnew();
  EXPECT_EQ(line.Wants({kLimit / 5, kLimit, false, kBegin + milliseconds(300)}), Wanted::kYes);
}

TEST(TimeLine, AClockThatIsSetBackAnHourLeavesTheDistances) {
  constexpr int64_t kHour = 3'600'000, kEpoch = 1'700'000'000'000;
  TimeLine line;
  const auto add = [&line](int64_t ms, int64_t wall_ms, uint64_t used) {
    TimeSample sample;
    sample.time_ms = kEpoch + wall_ms;
    sample.Set(Gauge::kUsed, used);
    line.Add({used, kLimit, false, kBegin + milliseconds(ms)}, sample, Wanted::kYes);
  };
  for (int64_t second = 0; second < 30; ++second) {
    const int64_t set_back = second < 10 || second >= 20 ? 0 : kHour;  // and forward again
    add(1000 * second, 1000 * second - set_back, 1'000'003 + 1024 * static_cast<uint64_t>(second));
  }
  add(31'000, 31'000 + kHour, 1'000'003);
  const std::vector<TimeSample> samples = Taken(line);
  ASSERT_EQ(samples.size(), 31u);
  for (int64_t second = 0; second < 30; ++second) {
    EXPECT_EQ(samples[second].time_ms, kEpoch + 1000 * second) << second;
    EXPECT_EQ(samples[second].used(), TimeSample::ToKib(1'000'003 + 1024 * static_cast<uint64_t>(second))) << second;
  }
  EXPECT_EQ(samples[30].time_ms, kEpoch + 31'000 + kHour) << "set forward, it was never behind";
}

TEST(TimeLine, NamesTheSixteenLargestWorkersOfEachSecond) {
  TimeLine line;
  for (int second = 0; second < 10; ++second) {
    const TimeLine::Tick tick{500'000'003, kLimit, false, kBegin + seconds(second)};
    TimeSample sample;
    sample.time_ms = 1'700'000'000'000 + second * 1000;
    for (int i = 0; i < 16; ++i) sample.workers[i] = {4000 + i, static_cast<uint32_t>(900'001 + 1009 * second - i)};
    line.Add(tick, sample, line.Wants(tick));
  }
  const std::vector<TimeSample> samples = Taken(line);
  ASSERT_EQ(samples.size(), 10u);
  for (int second = 0; second < 10; ++second) {
    for (int i = 0; i < 16; ++i) {
      EXPECT_EQ(samples[second].workers[i], (TimeSample::Worker{4000 + i, static_cast<uint32_t>(900'001 + 1009 * second - i)}));
    }
  }
}

// The driver's total budget (256 KB/s), with the most that each of 500 executors has to say every ten seconds.
TEST(TimeLine, FiveHundredExecutorsKeepWithinTheBudget) {
  TimeLine line;
  std::mt19937 random(3);
  for (int tick = 0; tick < 400; ++tick) {
    const TimeLine::Tick at{static_cast<uint64_t>(random()), kLimit, true, kBegin + milliseconds(20 * tick)};
    TimeSample sample;
    sample.time_ms = 1'700'000'000'000 + 20 * tick;
    for (size_t gauge = 0; gauge < kGauges; ++gauge) sample.figures[gauge] = random() % (64 << 20);  // 64 GiB up and down
    for (auto& worker : sample.workers)
      worker = {static_cast<int32_t>(1 + random() % 4'000'000), static_cast<uint32_t>(random() % (64 << 20))};
    for (auto& stage : sample.stages) stage = {static_cast<int32_t>(random() % 9000), static_cast<uint32_t>(random() % 64)};
    if (line.Wants(at) == Wanted::kYes) line.Add(at, sample, Wanted::kYes);
  }
  ASSERT_TRUE(line.Due(kBegin + seconds(10)));
  const std::optional<proto::TimeLine> message = line.Take(kBegin + seconds(10));
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->times_ms_size(), static_cast<int>(TimeLine::kMostUnsent));
  EXPECT_LE(500 * message->ByteSizeLong() / 10, 256u << 10);
  EXPECT_GT(message->worker_places_size(), 0) << "fewer are named, not none";
}

}  // namespace
}  // namespace memprof
