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

constexpr uint64_t kMi = 1 << 20;

ReportAction Brought(const char* call_site, uint64_t bytes, bool of_query = true) {
  ReportAction action;
  action.call_site = call_site;
  action.result_tasks = 1000;
  action.result_bytes = bytes;
  if (of_query) action.query_id = 7;
  return action;
}

// Spark packs rows of a query. All that a write sends are figures of its tasks, and the profiler's.
TEST(DriverHeap, OnlyPackedRowsMayBecomeSoMuchMore) {
  EXPECT_TRUE(MayFill(4096 * kMi, Brought("collect at job.py:7", 8 * kMi), true));
  EXPECT_TRUE(MayFill(4096 * kMi, Brought("collectToPython at NativeMethodAccessorImpl.java:0", 8 * kMi), true));
  EXPECT_FALSE(MayFill(4096 * kMi, Brought("collect at job.py:7", kMi), true));
  EXPECT_FALSE(MayFill(4096 * kMi, Brought("collect at job.py:7", 8 * kMi))) << "rows that are hardly ever so much alike";
  EXPECT_TRUE(MayFill(4096 * kMi, Brought("collect at job.py:7", 30 * kMi)));
  for (const char* write : {"parquet at job.py:30", "saveAsTable at job.py:30", "count at job.py:30", "foreachBatch at job.py:30"}) {
    EXPECT_FALSE(MayFill(4096 * kMi, Brought(write, 8 * kMi))) << write;
    EXPECT_TRUE(MayFill(4096 * kMi, Brought(write, 500 * kMi))) << write;
  }
  EXPECT_FALSE(MayFill(4096 * kMi, Brought("collect at job.py:7", 8 * kMi, false))) << "an RDD's are as large as they are counted";
  EXPECT_TRUE(MayFill(4096 * kMi, Brought("collect at job.py:7", 500 * kMi, false)));
  EXPECT_TRUE(MayFill(4096 * kMi, Brought("collect at Job.scala:7", 30 * kMi, false))) << "objects are larger than Kryo's bytes";
  EXPECT_TRUE(MayFill(4096 * kMi, Brought("collect at <console>:7", 30 * kMi, false)));
  EXPECT_FALSE(MayFill(4096 * kMi, Brought("collect at Job.scala:7", 8 * kMi, false)));
  EXPECT_FALSE(MayFill(4096 * kMi, Brought("collect at notebook cell 4:7", 30 * kMi, false))) << "Python's, too";
  ReportAction written = Brought("parquet at job.py:30", kMi);
  written.broadcast_bytes = 28 * kMi;
  EXPECT_TRUE(MayFill(4096 * kMi, written)) << "the table that its query broadcasts is packed";
  written.result_bytes = 30 * kMi;
  EXPECT_TRUE(MayFill(4096 * kMi, written)) << "beside more of figures";
  EXPECT_THAT(BroughtPhrase(written), HasSubstr("had brought 28.0 MiB to broadcast"));
  EXPECT_FALSE(MayFill(0, Brought("collect at job.py:7", 1000))) << "a heap of unknown size is no empty one";
  EXPECT_TRUE(MayFill(0, Brought("collect at job.py:7", 8 * kMi)));
}

ReportRetainedSite Held(uint64_t bytes, const char* function) {
  ReportRetainedSite site;
  site.retained_bytes = bytes;
  site.frames.emplace_back().function = "java.lang.Thread.run";
  site.frames.emplace_back().function = function;
  return site;
}

TEST(DriverHeap, WhatTheHeapHeldSaysWhetherItWasResults) {
  ReportPostMortem death;
  ReportRetained retained;
  EXPECT_FALSE(HeldOtherThings(death, &retained)) << "nothing is known";
  death.heap.emplace().regions = {{"heap.max", 512 * kMi}, {"heap.usedAfterGc", 500 * kMi}};
  retained.sites = {Held(470 * kMi, "org.acme.Cache.put"), Held(10 * kMi, "org.apache.spark.scheduler.TaskResultGetter.run")};
  EXPECT_TRUE(HeldOtherThings(death, &retained));
  EXPECT_FALSE(HeldOtherThings(death, nullptr));
  for (const char* results :
       {"org.apache.spark.sql.execution.SparkPlan.$anonfun$executeCollect$1", "org.apache.spark.sql.execution.SparkPlan$$anon$1.next",
        "org.apache.spark.sql.execution.joins.UnsafeHashedRelation$.apply", "org.apache.spark.sql.classic.Dataset.collectToPython",
        "org.apache.spark.rdd.RDD.collect", "org.apache.spark.scheduler.JobWaiter.taskSucceeded",
        "org.apache.spark.util.SerializableBuffer.readObject"}) {
    retained.sites.push_back(Held(30 * kMi, results));
    EXPECT_FALSE(HeldOtherThings(death, &retained)) << results;
    retained.sites.pop_back();
  }
  death.stack.emplace_back().function = "org.apache.spark.sql.execution.SparkPlan.executeCollectPublic";
  EXPECT_FALSE(HeldOtherThings(death, &retained)) << "whoever asked last unpacked results";
  death.stack.clear();
  retained.sites[0].retained_bytes = 430 * kMi;
  EXPECT_FALSE(HeldOtherThings(death, &retained)) << "the rest may be results";
  retained.sites[0] = Held(470 * kMi, "org.acme.Cache.put");
  ASSERT_TRUE(HeldOtherThings(death, &retained));
  retained.sites[0].frames.resize(128);
  EXPECT_FALSE(HeldOtherThings(death, &retained)) << "who called its outermost frame is not known";
}

TEST(DriverHeap, WhoAskedOrATenthOfItShowsResults) {
  ReportPostMortem death;
  ReportRetained retained;
  retained.sites = {Held(470 * kMi, "org.acme.Cache.put"), Held(52 * kMi, "org.apache.spark.scheduler.TaskResultGetter.run")};
  EXPECT_TRUE(ShowsResults(death, &retained, 512 * kMi));
  EXPECT_FALSE(ShowsResults(death, &retained, 1024 * kMi));
  EXPECT_FALSE(ShowsResults(death, &retained, 0)) << "a tenth of what?";
  EXPECT_FALSE(ShowsResults(death, nullptr, 512 * kMi));
  death.stack.emplace_back().function = "org.apache.spark.sql.execution.SparkPlan.executeCollectPublic";
  EXPECT_TRUE(ShowsResults(death, nullptr, 0));
}

TEST(DriverHeap, OneRowIsOne) {
  ReportAction action = Brought("count at job.py:7", 5 * 1024);
  action.result_tasks = action.result_rows.emplace(1);
  EXPECT_EQ(BroughtPhrase(action), "count at job.py:7 had brought 5.0 KiB in 1 task (1 row, serialised)");
}

TEST(DriverHeap, ArrowIsNoAdviceWhereItIsOnOrNotKnownOrNotAsked) {
  EXPECT_EQ(AdviceFor("toPandas at /jobs/report.py:41", {{kArrow, "true"}}, 70).size(), 2u);
  EXPECT_EQ(AdviceFor("toPandas at /jobs/report.py:41", {}, 70).size(), 2u);
  EXPECT_EQ(AdviceFor("collect at /jobs/report.py:41", {{kArrow, "false"}}, 70).size(), 2u);
  EXPECT_EQ(AdviceFor("toPandas at /jobs/report.py:41", {{kArrow, "false"}}, 70, 999'999'999).size(), 2u) << "a table filled it";
}

}  // namespace
}  // namespace memprof
