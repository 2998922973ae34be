// What belongs together and what is another way out, and settings that another thing overrides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advice/figures.h"
#include "advice/findings.h"
#include "advice/resource_profile.h"
#include "report/advice/scene.h"

namespace memprof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const ReportAdvice* Of(const std::vector<ReportAdvice>& pieces, std::string_view conf) {
  for (const ReportAdvice& piece : pieces) {
    if (piece.conf == conf) return &piece;
  }
  return nullptr;
}

TEST(Alternatives, FewerTasksAreInPlaceOfMoreMemory) {
  Scene scene(4, 480 * kMi);
  scene.executor.heap_max_bytes = 512 * kMi;
  const std::vector<ReportAdvice> both = Advise(scene.Input());
  ASSERT_TRUE(Of(both, "spark.executor.memoryOverhead"));
  EXPECT_THAT(Of(both, "spark.executor.cores")->because, StartsWith("in place of more memory: Python workers"));

  scene.executor.regions[0].budget_bytes = 0;  // standalone reserves none
  const std::vector<ReportAdvice> one = Advise(scene.Input());
  EXPECT_THAT(Of(one, "spark.executor.cores")->because, StartsWith("Python workers"));
  EXPECT_THAT(Of(one, "")->because, StartsWith("for as many tasks at once, a container of"));

  scene.death.limit_bytes = scene.executor.host_memory_bytes = 2048 * kMi;  // the heap may grow beyond it, but what was used fits
  scene.death.used_bytes = 1'800 * kMi;
  scene.death.processes[0].peak_rss_bytes = 300 * kMi;
  scene.executor.heap_max_bytes = 1024 * kMi;
  for (size_t i = 1; i <= 4; ++i) scene.death.processes[i].peak_rss_bytes = 380 * kMi;
  const std::vector<ReportAdvice> of_host = Advise(scene.Input());
  ASSERT_TRUE(Of(of_host, "spark.executor.cores"));
  EXPECT_THAT(Of(of_host, "")->because, Not(StartsWith("for as many"))) << "others' memory is not for tasks";
}

TEST(Alternatives, ASplitNamesTheOverheadItNeeds) {
  Scene scene(4, 480 * kMi);
  scene.executor.requested_bytes = 1408 * kMi;
  scene.settings["yarn.scheduler.maximum-allocation-mb"] = "2400";
  EXPECT_THAT(AdviseSplit(scene.Input())->because, HasSubstr("2 fit into 2.2 GiB, with the memoryOverhead that is advised"));
}

// The driver's JVM runs the tasks, and beside them is the program's own Python.
TEST(LocalMode, AFullContainerHasRoomForFewerTasks) {
  Scene scene(4, 480 * kMi);
  scene.executor.id = "driver";
  scene.executor.heap_max_bytes = 512 * kMi;
  scene.executor.regions[0].budget_bytes = 0;
  scene.settings["spark.master"] = "local[4,3]";
  const std::vector<ReportAdvice> pieces = Advise(scene.Input());
  ASSERT_TRUE(Of(pieces, "spark.master"));
  EXPECT_EQ(Of(pieces, "spark.master")->to, "local[2,3]");  // (2048 - 702) / 528
  EXPECT_FALSE(Of(pieces, "spark.executor.cores"));

  scene.death.processes.push_back({99, {}, "python-driver", 300 * kMi, {}, 0, std::nullopt, true});
  const std::optional<ReportAdvice> beside = AdviseExecutorCores(scene.Input());
  EXPECT_EQ(beside->to, "local[1,3]") << "(2048 - 702 - 300) / 528";
  EXPECT_THAT(beside->because, HasSubstr("held 1.9 GiB (4 at once) + 300.0 MiB in the driver's own process, 480.0 MiB each"));
  EXPECT_EQ(BytesOfTasks(LargestPythonSum(scene.Input()), 1), 480 * kMi) << "it doesn't go with the tasks";

  scene.settings["spark.master"] = "local";
  EXPECT_FALSE(AdviseExecutorCores(scene.Input())) << "one task at once";
}

TEST(Broadcasts, FillAHeapWhateverTasksRun) {
  Scene scene(4, 0);
  scene.input.of_heap = true;
  scene.input.cached[0].broadcast_bytes = 200 * kMi;
  const std::optional<ReportAdvice> advice = AdviseBroadcasts(scene.Input());
  ASSERT_TRUE(advice);
  EXPECT_THAT(advice->because, HasSubstr("broadcast variables held 200.0 MiB of the heap of 1.0 GiB as serialised blocks"));
  const std::vector<ReportAdvice> pieces = Advise(scene.Input());
  EXPECT_EQ(std::count_if(pieces.begin(), pieces.end(), [&](const auto& piece) { return piece.because == advice->because; }), 1);
  scene.input.cached[0].broadcast_bytes = 100 * kMi;
  EXPECT_FALSE(AdviseBroadcasts(scene.Input())) << "less than an eighth";
  scene.input.cached[0].broadcast_bytes = 200 * kMi;
  scene.input.of_heap = false;
  EXPECT_FALSE(AdviseBroadcasts(scene.Input()));
}

TEST(ResourceProfile, CountsInsteadOfTheSettings) {
  Scene scene(4, 480 * kMi);
  scene.input.peer_bytes = {1};
  constexpr uint32_t kAll = 31;
  scene.executor.resource_profile = {2, kAll, 0};
  const std::vector<ReportAdvice> pieces = Advise(scene.Input());
  EXPECT_FALSE(Of(pieces, "spark.executor.memoryOverhead"));
  EXPECT_FALSE(Of(pieces, "spark.executor.cores"));
  EXPECT_THAT(pieces[0].because,
              StartsWith("ask for memoryOverhead(\"2321m\") instead of 384m in ResourceProfile 2 (ExecutorResourceRequests), "
                         "which counts there instead of spark.executor.memoryOverhead: Python workers together held"));
  std::vector<ReportAdvice> cores = {{"spark.executor.cores", "4", "2", "why"}, {"spark.master", "local[4]", "local[2]", "why"}};
  AdviseByProfile(scene.executor, cores);
  EXPECT_THAT(cores[0].because, StartsWith("ask for cores(2) instead of 4 in"));
  EXPECT_EQ(cores[1].conf, "spark.master") << "no profile has that";
  std::vector<ReportAdvice> unknown = {{"spark.executor.memory", "", "", "how large it was is not known"}};
  AdviseByProfile(scene.executor, unknown);
  EXPECT_THAT(unknown[0].because, StartsWith("ask for more memory in ResourceProfile 2"));

  scene.death.address_space.emplace();
  scene.death.address_space->limit_bytes = 1024 * kMi;
  scene.death.address_space->virtual_bytes = 900 * kMi;
  scene.death.address_space->refused_bytes = 500 * kMi;
  scene.executor.regions[1].budget_bytes = 4096 * kMi;  // pysparkMemory of the profile; the setting is not there
  EXPECT_THAT(Advise(scene.Input())[0].because, StartsWith("ask for pysparkMemory(\"6160m\") instead of 4096m in"));
  scene.death.address_space.reset();
  scene.executor.regions[1].budget_bytes = 0;

  scene.executor.limit_source = "cgroup";
  scene.executor.limit_bytes = 2000 * kMi;
  scene.executor.at_peak = ReportMoment{};
  scene.executor.at_peak->used_bytes = 1900 * kMi;
  EXPECT_THAT(FindFullContainer(scene.executor, nullptr)->advice[0].because,
              StartsWith("ask for memoryOverhead(\"759m\") instead of 384m in"));
}

TEST(ResourceProfile, WhatItDoesNotAskForIsSet) {
  Scene scene(4, 480 * kMi);
  scene.executor.resource_profile = {2, ReportResourceProfile::kCores, 0};
  const std::vector<ReportAdvice> pieces = Advise(scene.Input());
  ASSERT_TRUE(Of(pieces, "spark.executor.memoryOverhead"));
  EXPECT_EQ(Of(pieces, "spark.executor.memoryOverhead")->to, "2321m");
  std::vector<ReportAdvice> off_heap = {{"spark.memory.offHeap.size", "3g", "1024m", "why"}};
  AdviseByProfile(scene.executor, off_heap);
  EXPECT_EQ(off_heap[0].conf, "spark.memory.offHeap.size");
  scene.executor.resource_profile.requests = ReportResourceProfile::kOffHeap;
  AdviseByProfile(scene.executor, off_heap);
  EXPECT_THAT(off_heap[0].because, StartsWith("ask for offheapMemory(\"1024m\") instead of 3g in ResourceProfile 2"))
      << "as PySpark calls it";
}

TEST(ResourceProfile, ItsTasksAndItsHeapCount) {
  Scene scene(2, 3072 * kMi);
  scene.executor.cores = 8;
  scene.executor.heap_max_bytes = 512 * kMi;
  scene.death.limit_bytes = 5 * 1024 * kMi;
  scene.executor.resource_profile = {1, ReportResourceProfile::kCores | ReportResourceProfile::kMemory, 4};
  EXPECT_EQ(AdviseExecutorCores(scene.Input())->to, "4") << "a task takes four";
  scene.settings["spark.executor.memory"] = "4g";
  scene.executor.heap_max_bytes = 3500 * kMi;
  scene.input.of_heap = true;
  scene.input.tasks_at_once = 1;
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->from, "3500m");
  EXPECT_EQ(AdviseExecutorMemory(scene.Input())->to, "7000m");
}

// A limit that Spark did not ask for doesn't grow with what is asked for.
TEST(FullContainer, OfAForeignCgroupIsNoOverhead) {
  ReportExecutor executor = Scene(0, 0).executor;
  executor.limit_source = "cgroup";
  executor.limit_bytes = 4000 * kMi;
  executor.at_peak = ReportMoment{};
  executor.at_peak->used_bytes = 3900 * kMi;
  executor.requested_bytes = 1408 * kMi;
  EXPECT_EQ(FindFullContainer(executor, nullptr)->advice[0].conf, "") << "more than twice what was requested";
  executor.limit_bytes = 1300 * kMi;
  executor.at_peak->used_bytes = 1290 * kMi;
  EXPECT_EQ(FindFullContainer(executor, nullptr)->advice[0].conf, "") << "less than was requested";
  executor.limit_bytes = 2048 * kMi;
  executor.at_peak->used_bytes = 2000 * kMi;
  EXPECT_EQ(FindFullContainer(executor, nullptr)->advice[0].conf, "spark.executor.memoryOverhead");
}

// Each worker has batches of its own.
TEST(ArrowBatch, OfEachWorkerLessThanABoundWasNotCutByIt) {
  Scene scene(4, 500 * kMi);
  scene.AddSite(1'200 * kMi, "SQL_MAP_PANDAS_ITER_UDF",
                {{Language::kPython, "load_stream", "/site-packages/pyspark/sql/pandas/serializers.py", "", 340, "", {}}});
  scene.settings["spark.sql.execution.arrow.maxBytesPerBatch"] = "512m";
  EXPECT_EQ(AdviseArrowBatch(scene.Input())->conf, "spark.sql.execution.arrow.maxRecordsPerBatch") << "300 MiB each";
  scene.settings["spark.sql.execution.arrow.maxBytesPerBatch"] = "256m";
  const std::optional<ReportAdvice> bytes = AdviseArrowBatch(scene.Input());
  EXPECT_EQ(bytes->conf, "spark.sql.execution.arrow.maxBytesPerBatch");
  EXPECT_THAT(bytes->because, HasSubstr("; where 10,000 rows are less than 256.0 MiB, lower spark.sql.execution.arrow.maxRecordsPerBatch"));
  scene.settings["spark.sql.execution.arrow.maxRecordsPerBatch"] = "0";
  EXPECT_THAT(AdviseArrowBatch(scene.Input())->because, Not(HasSubstr("lower"))) << "no bound";
}

}  // namespace
}  // namespace memprof
