#include "timeline/packing.h"

#include <gtest/gtest.h>

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
    for (size_t i = 0; i < random() % 4; ++i)
      sample.workers[i] = {static_cast<int32_t>(1 + random() % 90'000), static_cast<uint32_t>(random())};
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
                      Malformed{"AWorkerTooMany", [](auto& line) { line.set_workers(0, 4); }},
                      Malformed{"AWorkerOfNobody", [](auto& line) { line.add_worker_pids(5), line.add_worker_kib(5); }},
                      Malformed{"APidWithoutAFigure", [](auto& line) { line.add_worker_pids(5); }},
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
