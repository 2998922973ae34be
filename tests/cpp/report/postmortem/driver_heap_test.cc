#include "postmortem/driver_heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr const char* kArrow = "spark.sql.execution.arrow.pyspark.enabled";

std::vector<ReportAdvice> AdviceFor(const char* call_site, const SparkSettings& settings, uint64_t tasks, uint64_t broadcast_bytes = 0) {
  ReportAction action;
  action.call_site = call_site;
  action.result_tasks = tasks;
  action.result_bytes = tasks * 3'000'017;
  action.broadcast_bytes = broadcast_bytes;
  ReportPostMortem death;
  death.advice = {{"spark.driver.memory", "512m", "1024m", "it was full"}};
  PutAction(action, settings, death);
  return death.advice;
}

TEST(DriverHeap, ToPandasHoldsAllRowsWithoutArrow) {
  const std::vector<ReportAdvice> advice = AdviceFor("toPandas at /jobs/report.py:41", {{kArrow, "false"}}, 70);
  ASSERT_EQ(advice.size(), 3u);
  EXPECT_THAT(advice[0].because, HasSubstr("write it to files")) << "first what always helps";
  EXPECT_EQ(advice[1].conf, kArrow);
  EXPECT_EQ(advice[1].from, "false");
  EXPECT_EQ(advice[1].to, "true");
  EXPECT_THAT(advice[1].because, EndsWith("instead of holding all of them in the heap"));
  EXPECT_EQ(advice[2].conf, "spark.driver.memory");

  const std::vector<ReportAdvice> few = AdviceFor("toPandas at /jobs/report.py:41", {{kArrow, "False"}}, 4);
  ASSERT_EQ(few.size(), 3u);
  EXPECT_THAT(few[1].because, HasSubstr("and there are only 4: call repartition(64) before it"));
}

TEST(DriverHeap, TheLinesOfThePlanAreSaid) {
  ReportAction action;
  action.call_site = "collect at /jobs/report.py:41";
  action.built_at = {{"/jobs/report.py", 3}, {"/jobs/tables.py", 9}};
  ReportPostMortem death;
  death.how = "its heap was full";
  PutAction(action, {}, death);
  EXPECT_EQ(death.how, "its heap was full; its plan was built at report.py:3; tables.py:9");
}

TEST(DriverHeap, ArrowIsNoAdviceWhereItIsOnOrNotKnownOrNotAsked) {
  EXPECT_EQ(AdviceFor("toPandas at /jobs/report.py:41", {{kArrow, "true"}}, 70).size(), 2u);
  EXPECT_EQ(AdviceFor("toPandas at /jobs/report.py:41", {}, 70).size(), 2u);
  EXPECT_EQ(AdviceFor("collect at /jobs/report.py:41", {{kArrow, "false"}}, 70).size(), 2u);
  EXPECT_EQ(AdviceFor("toPandas at /jobs/report.py:41", {{kArrow, "false"}}, 70, 999'999'999).size(), 2u) << "a table filled it";
}

}  // namespace
}  // namespace memprof
