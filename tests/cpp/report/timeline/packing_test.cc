#include "timeline/packing.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>

namespace memprof {
namespace {

// Samples that differ in everything, with gauges that nobody measured now and then.
std::vector<TimeSample> OddSamples(size_t count) {
  std::mt19937_64 random(11);
  std::vector<TimeSample> samples(count);
  int64_t time_ms = 1'700'000'000'123;
  for (TimeSample& sample : samples) {
    sample.time_ms = time_ms += 1 + static_cast<int64_t>(random() % 1009);
    for (size_t gauge = 0; gauge < kGauges; ++gauge) {
      if (random() % 5 != 0) sample.figures[gauge] = static_cast<uint32_t>(random() % kNoFigure);
    }
    sample[Gauge::kOffHeap] = kNoFigure;
    sample.running_tasks = random() % 17;
    sample.task_starts = random() % 5;
    sample.pauses = random() % 3;
    sample.stopped_us = sample.pauses * 1009;
    const size_t workers = random() % (TimeSample::kWorkers + 1);
    for (size_t i = 0; i < workers; ++i) sample.workers[i] = {static_cast<int32_t>(1 + random() % 90), static_cast<uint32_t>(random())};
    for (size_t i = 0; i < random() % 4; ++i)
      sample.stages[i] = {static_cast<int32_t>(random() % 7000), static_cast<uint32_t>(random() % 64)};
  }
  return samples;
}

TEST(Packing, SamplesComeBackAsTheyWere) {
  for (size_t count : {0, 1, 2, 397}) {
    const std::vector<TimeSample> samples = OddSamples(count);
    proto::TimeLine message, read;
    PackSamples(samples, &message);
    ASSERT_TRUE(read.ParseFromString(message.SerializeAsString()));
    const auto unpacked = UnpackSamples(read);
    ASSERT_TRUE(unpacked.has_value()) << count;
    EXPECT_EQ(*unpacked, samples);
  }
}

// What an executor's whole life may be at most: all that is measured moves, and all its workers grow and take turns.
TEST(Packing, SixHundredSamplesOfSixteenWorkersAreBelow64KiB) {
  constexpr uint32_t kMib = 1024;  // in KiB
  std::mt19937 random(5);
  std::vector<TimeSample> samples(600);
  std::array<uint32_t, 24> held{};
  for (size_t second = 0; second < samples.size(); ++second) {
    TimeSample& sample = samples[second];
    sample.time_ms = 1'700'000'000'123 + static_cast<int64_t>(second) * 1009;
    for (uint32_t& figure : sample.figures) figure = 900 * kMib + random() % (4 * kMib);
    for (uint32_t& kib : held) kib += random() % (8 * kMib);
    for (size_t i = 0; i < TimeSample::kWorkers; ++i) {
      const size_t worker = (i + second) % held.size();
      sample.workers[i] = {static_cast<int32_t>(400'009 + worker), held[worker]};
    }
    for (size_t i = 0; i < TimeSample::kStages; ++i) sample.stages[i] = {static_cast<int32_t>(100 + i), 16};
    sample.running_tasks = sample.task_starts = 48;
    sample.pauses = 3;
    sample.stopped_us = 1'003 + random() % 9'000;
  }
  proto::TimeLine message;
  PackSamples(samples, &message);
  EXPECT_LE(message.ByteSizeLong(), 64u << 10);
  EXPECT_EQ(UnpackSamples(message), samples);
}

TEST(Packing, GaugesOfALaterVersionAreLeftOut) {
  const std::vector<TimeSample> samples = OddSamples(3);
  proto::TimeLine message;
  PackSamples(samples, &message);
  auto& later = *message.add_figures();
  later.set_name("of.later");
  later.add_differences(7);
  EXPECT_EQ(UnpackSamples(message), samples);
}

struct Malformed {
  const char* name;
  std::function<void(proto::TimeLine&)> spoil;
};
class PackingRefuses : public ::testing::TestWithParam<Malformed> {};

TEST_P(PackingRefuses, WhatContradictsItself) {
  std::vector<TimeSample> samples = OddSamples(5);
  samples[0].workers[0] = {77, 5};
  proto::TimeLine message;
  PackSamples(samples, &message);
  ASSERT_TRUE(UnpackSamples(message));
  GetParam().spoil(message);
  EXPECT_FALSE(UnpackSamples(message));
}

INSTANTIATE_TEST_SUITE_P(
    Packing, PackingRefuses,
    ::testing::Values(Malformed{"ATimeBefore1970", [](auto& line) { line.set_times_ms(0, -1); }},
                      Malformed{"TimesThatGoBack", [](auto& line) { line.set_times_ms(1, -1); }},
                      Malformed{"TheSameTime", [](auto& line) { line.set_times_ms(1, 0); }},
                      Malformed{"ATimeThatOverflows", [](auto& line) { line.set_times_ms(4, INT64_MAX); }},
                      Malformed{"ASmallestDifference", [](auto& line) { line.set_times_ms(4, INT64_MIN); }},
                      Malformed{"FewerRunningTasks", [](auto& line) { line.mutable_running_tasks()->RemoveLast(); }},
                      Malformed{"MorePauses", [](auto& line) { line.add_pauses(1); }},
                      Malformed{"FewerPauses", [](auto& line) { line.mutable_stopped_us()->RemoveLast(); }},
                      Malformed{"MoreStarts", [](auto& line) { line.add_task_starts(1); }},
                      Malformed{"FewerFigures", [](auto& line) { line.mutable_figures(0)->mutable_differences()->RemoveLast(); }},
                      Malformed{"ANegativeFigure", [](auto& line) { line.mutable_figures(0)->set_differences(0, -3); }},
                      Malformed{"AFigureTooLarge", [](auto& line) { line.mutable_figures(0)->set_differences(0, int64_t{1} << 40); }},
                      Malformed{"AWorkerTooMany", [](auto& line) { line.set_workers(0, TimeSample::kWorkers + 1); }},
                      Malformed{"AWorkerOfNobody", [](auto& line) { line.add_worker_places(0), line.add_worker_differences(5); }},
                      Malformed{"AWorkerWithoutAFigure", [](auto& line) { line.add_worker_places(0); }},
                      Malformed{"AWorkerWithoutAPid", [](auto& line) { line.set_worker_places(0, 5000); }},
                      Malformed{"AStageOfNobody", [](auto& line) { line.add_stage_ids(5), line.add_stage_tasks(5); }},
                      Malformed{"TooManySamples",
                                [](auto& line) {
                                  for (size_t i = 0; i < kMostSamplesOfMessage; ++i) {
                                    line.add_times_ms(1), line.add_running_tasks(0), line.add_task_starts(0), line.add_workers(0),
                                        line.add_stages(0);
                                  }
                                }}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace memprof
