// Advice about what earlier tasks had left in the workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/advice/scene.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;

const ReportFrame kRemember = {Language::kPython, "remember", "/jobs/job.py", "", 22, "", std::nullopt};
const ReportFrame kSerializer = {Language::kPython, "load_stream", "/x/pyspark/sql/pandas/serializers.py", "", 300, "", std::nullopt};
constexpr const char* kScalar = "SQL_SCALAR_PANDAS_UDF";

TEST(LeftByTasks, IsToBeBounded) {
  Scene scene(1, 1200 * kMi);
  scene.AddSite(900 * kMi, kScalar, {kRemember});
  scene.death.sites.back().left_by_earlier_tasks = true;
  scene.AddSite(100 * kMi, kScalar, {kRemember});
  scene.death.sites.back().left_by_earlier_tasks = true;
  scene.AddSite(200 * kMi, kScalar, {kSerializer});
  const std::optional<ReportAdvice> advice = AdviseLeftByTasks(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->conf, "");
  EXPECT_THAT(advice->because, HasSubstr("earlier tasks had left 1000.0 MiB of Python's 1.2 GiB in the workers, most of it at job.py:22 "
                                         "remember: bound what is kept"));
  scene.input.of_heap = true;
  EXPECT_FALSE(AdviseLeftByTasks(scene.Input())) << "the heap is not theirs";
}

TEST(LeftByTasks, OnlyWhereItIsMuchOfWhatPythonHeld) {
  for (const uint64_t left : {290 * kMi, 310 * kMi}) {
    Scene scene(1, 1200 * kMi);
    scene.AddSite(left, "", {kRemember});
    EXPECT_FALSE(AdviseLeftByTasks(scene.Input())) << "the task's own";
    scene.death.sites.back().left_by_earlier_tasks = true;
    EXPECT_EQ(AdviseLeftByTasks(scene.Input()).has_value(), left > 300 * kMi) << left;
  }
  Scene jvm(1, 200 * kMi);
  jvm.AddSite(190 * kMi, "", {kRemember});
  jvm.death.sites.back().left_by_earlier_tasks = true;
  EXPECT_FALSE(AdviseLeftByTasks(jvm.Input())) << "less than a tenth of 2000 MiB in use";
  jvm.death.used_bytes = 1800 * kMi;
  EXPECT_TRUE(AdviseLeftByTasks(jvm.Input()));
  jvm.input.shortage.emplace();
  EXPECT_FALSE(AdviseLeftByTasks(jvm.Input())) << "the JVM ran out of something else";
  Scene small(1, 20 * kMi);
  small.AddSite(15 * kMi, "", {kRemember});
  small.death.sites.back().left_by_earlier_tasks = true;
  EXPECT_FALSE(AdviseLeftByTasks(small.Input()));
}

// A task before had put batches into a list.
TEST(LeftByTasks, BatchesThatAreKeptAreNoMatterOfTheirSize) {
  for (const bool left : {false, true}) {
    Scene scene(1, 1200 * kMi);
    scene.AddSite(900 * kMi, kScalar, {kSerializer, kRemember});
    scene.death.sites.back().left_by_earlier_tasks = left;
    EXPECT_EQ(AdviseArrowBatch(scene.Input()).has_value(), !left);
    EXPECT_EQ(AdviseLeftByTasks(scene.Input()).has_value(), left);
  }
}

}  // namespace
}  // namespace memprof
