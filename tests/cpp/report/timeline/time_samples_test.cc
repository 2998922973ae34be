#include "timeline/time_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace memprof {
namespace {

constexpr int64_t kBegin = 1'700'000'000'000;

TimeSample At(int64_t seconds, uint64_t used_kib, uint32_t starts = 0) {
  TimeSample sample;
  sample.time_ms = kBegin + seconds * 1000;
  sample.Set(Gauge::kUsed, used_kib * 1024);
  sample.task_starts = starts;
  return sample;
}

TEST(TimeSamples, FewAreKeptAsTheyCame) {
  TimeSamples samples(20);
  for (int i = 0; i < 20; ++i) samples.Add(At(i, 1009 + i));
  ASSERT_EQ(samples.all().size(), 20u);
  EXPECT_EQ(samples.thinned(), 0u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(samples.all()[i], At(i, 1009 + i));
}

// A day of seconds: one of them used more than all others, a few more than their hour.
TEST(TimeSamples, ALifeOfAnyLengthKeepsItsPeaksItsBeginningAndItsSums) {
  constexpr size_t kMost = 600;
  constexpr int kSeconds = 86'400, kPeakAt = 7'777, kSmallerPeaks = 24;
  std::mt19937 random(5);
  TimeSamples samples(kMost);
  uint64_t starts = 0;
  for (int i = 0; i < kSeconds; ++i) {
    uint64_t used = 1'000'003 + random() % 1009;
    if (i == kPeakAt) used = 7'340'033;
    if (i % 3600 == 1801) used = 2'000'003 + i;  // the largest of its hour
    const uint32_t started = random() % 3;
    starts += started;
    TimeSample sample = At(i, used, started);
    sample.pauses = started;
    sample.stopped_us = 1009 * started;
    samples.Add(sample);
    ASSERT_LE(samples.all().size(), kMost);
  }
  const auto& kept = samples.all();
  EXPECT_GE(kept.size(), kMost / 3);
  EXPECT_EQ(samples.thinned(), kSeconds - kept.size());
  EXPECT_EQ(kept.front().time_ms, kBegin);
  auto used_at = [&](int second) -> uint64_t {
    auto found = std::find_if(kept.begin(), kept.end(), [&](const auto& each) { return each.time_ms == kBegin + second * 1000; });
    return found == kept.end() ? 0 : found->used();
  };
  EXPECT_EQ(used_at(kPeakAt), 7'340'033u);
  for (int hour = 0; hour < kSmallerPeaks; ++hour) EXPECT_EQ(used_at(hour * 3600 + 1801), 2'000'003u + hour * 3600 + 1801) << hour;
  uint64_t kept_starts = 0, pauses = 0, stopped_us = 0;
  for (const TimeSample& sample : kept) {
    kept_starts += sample.task_starts;
    pauses += sample.pauses;
    stopped_us += sample.stopped_us;
  }
  EXPECT_EQ(kept_starts, starts);
  EXPECT_EQ(pauses, starts);
  EXPECT_EQ(stopped_us, 1009 * starts);
  // The newest are there as they were taken, and the past has no hole beyond four times an even spread.
  for (size_t i = kept.size() - kMost / 8; i < kept.size(); ++i) EXPECT_EQ(kept[i].time_ms - kept[i - 1].time_ms, 1000);
  for (size_t i = 1; i < kept.size(); ++i) EXPECT_LE(kept[i].time_ms - kept[i - 1].time_ms, 4 * 1000 * (kSeconds / kMost));
}

TEST(TimeSamples, ToldTwiceOrOutOfOrderItIsTheSame) {
  TimeSamples once(100), twice(100);
  for (int i = 0; i < 60; ++i) once.Add(At(i, 2003 + i * 7 % 11));
  for (int i : {30, 0}) {
    for (int k = 0; k < 30; ++k) twice.Add(At(i + k, 2003 + (i + k) * 7 % 11));
  }
  for (int i = 0; i < 60; ++i) twice.Add(At(i, 2003 + i * 7 % 11));
  EXPECT_TRUE(std::equal(once.all().begin(), once.all().end(), twice.all().begin(), twice.all().end()));
}

TEST(TimeSamples, ASmallerBoundKeepsThePeak) {
  TimeSamples samples(200);
  for (int i = 0; i < 200; ++i) samples.Add(At(i, i == 61 ? 9'000'011 : 5003));
  samples.Shrink(17);
  EXPECT_LE(samples.all().size(), 17u);
  EXPECT_TRUE(std::any_of(samples.all().begin(), samples.all().end(), [](const auto& each) { return each.used() == 9'000'011; }));
  samples.Shrink(0);
  EXPECT_LE(samples.all().size(), TimeSamples::kFewest);
  for (int i = 200; i < 300; ++i) samples.Add(At(i, 5003));
  EXPECT_LE(samples.all().size(), TimeSamples::kFewest);
  EXPECT_TRUE(std::any_of(samples.all().begin(), samples.all().end(), [](const auto& each) { return each.used() == 9'000'011; }));
}

TEST(TimeSamples, TimesAtTheEdgesOfWhatFits) {
  TimeSamples samples(8);
  for (int i = 0; i < 40; ++i) {
    TimeSample sample;
    sample.time_ms = i % 2 == 0 ? i : (int64_t{1} << 53) - i;
    samples.Add(sample);
  }
  EXPECT_LE(samples.all().size(), 8u);
}

TEST(TimeSample, BytesAreRoundedUpToAKib) {
  EXPECT_EQ(TimeSample::ToKib(0), 0u);
  EXPECT_EQ(TimeSample::ToKib(1), 1u);
  EXPECT_EQ(TimeSample::ToKib(157'286'413), 153'601u);
  EXPECT_EQ(TimeSample::ToKib(UINT64_MAX), kNoFigure - 1);
}

}  // namespace
}  // namespace memprof
