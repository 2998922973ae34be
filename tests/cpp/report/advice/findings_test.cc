#include "advice/findings.h"

#include <gtest/gtest.h>

#include <utility>

namespace memprof {
namespace {

constexpr uint64_t kMi = 1 << 20;

ReportExecutor FullExecutor(uint64_t used = 900 * kMi) {
  ReportExecutor executor;
  executor.id = "2";
  executor.limit_bytes = 1000 * kMi;
  executor.limit_source = "cgroup";
  executor.at_peak = ReportMoment{};
  executor.at_peak->used_bytes = used;
  executor.regions = {{"overhead", 200 * kMi, std::nullopt}};
  return executor;
}

TEST(FullContainer, IsToldWithTheOverheadThatLeavesRoom) {
  const std::optional<ReportFinding> finding = FindFullContainer(FullExecutor(), nullptr);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->headline, "Executor 2 used 900.0 MiB of its limit of 1000.0 MiB (90 %) and lived: a little more, and it is killed.");
  EXPECT_EQ(finding->executor_id, "2");
  ASSERT_EQ(finding->advice.size(), 1u);
  EXPECT_EQ(finding->advice[0].conf, "spark.executor.memoryOverhead");
  EXPECT_EQ(finding->advice[0].from, "200m");
  EXPECT_EQ(finding->advice[0].to, "325m") << "900 is 80 % of 1125";
  EXPECT_EQ(finding->advice[0].because, "the container grows to 1.1 GiB: the same use is 80 % of it");
}

TEST(FullContainer, WhereSparkReservesNoOverheadTheContainersSizeIsTold) {
  ReportExecutor executor = FullExecutor();
  executor.regions.clear();
  const std::optional<ReportFinding> finding = FindFullContainer(executor, nullptr);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->advice[0].conf, "");
  EXPECT_EQ(finding->advice[0].because, "a container of 1.1 GiB instead of 1000.0 MiB: the same use is 80 % of it");
}

TEST(FullContainer, WhereItMaySwapItIsNotKilled) {
  const auto what_is_next = [](const ReportExecutor& executor) {
    const std::string headline = FindFullContainer(executor, nullptr)->headline;
    return headline.substr(headline.find("lived: "));
  };
  ReportExecutor executor = FullExecutor();
  executor.swap = ReportSwap{0, 0, 0};
  EXPECT_EQ(what_is_next(executor), "lived: a little more, and it is killed.");
  executor.swap->left_bytes = 40 * kMi;
  EXPECT_EQ(what_is_next(executor), "lived: a little more, and it is killed.") << "no room to speak of";
  executor.swap->left_bytes = 300 * kMi;
  EXPECT_EQ(what_is_next(executor), "lived: what is too much goes to swap, which is slow and has room for 300.0 MiB more.");
  executor.swap->peak_bytes = 100 * kMi;
  EXPECT_EQ(what_is_next(executor), "lived: 100.0 MiB more lay in swap, which is slow and has room for 300.0 MiB more.");
  EXPECT_EQ(FindFullContainer(executor, nullptr)->advice[0].to, "450m") << "1000 is 80 % of 1250";
  executor.limit_source = "spark";
  EXPECT_EQ(what_is_next(executor), "lived: 100.0 MiB more lay in swap, which is slow; a little more, and its cluster manager may end it.");
}

// Spark makes the container a tenth larger than the heap, so a heap of its full size fills most of it.
TEST(FullContainer, NotOfAHeapThatGrowsNoFurther) {
  ReportExecutor executor = FullExecutor(940 * kMi);
  executor.heap_max_bytes = 890 * kMi;
  executor.processes.push_back({100, {}, "jvm", 925 * kMi, {{"Java heap", 888 * kMi}}, 0, std::nullopt, true});
  EXPECT_FALSE(FindFullContainer(executor, nullptr)) << "52 of 110 MiB";
  executor.limit_shared = true;
  EXPECT_TRUE(FindFullContainer(executor, nullptr)) << "the others' heaps may grow";
  executor.limit_shared = false;
  executor.at_peak->used_bytes = 983 * kMi;
  EXPECT_TRUE(FindFullContainer(executor, nullptr)) << "95 of 110 MiB";
  executor.at_peak->used_bytes = 971 * kMi;
  EXPECT_TRUE(FindFullContainer(executor, nullptr)) << "83 of 110 MiB, but 97 % in all";
  executor.at_peak->used_bytes = 940 * kMi;
  executor.at_peak->processes.push_back({100, {}, "jvm", 600 * kMi, {}, 0, std::nullopt, true});
  EXPECT_TRUE(FindFullContainer(executor, nullptr)) << "at that moment the heap was smaller";
  executor.at_peak->processes.clear();
  executor.at_peak->regions = {{"heap.committed", 700 * kMi}};
  EXPECT_TRUE(FindFullContainer(executor, nullptr)) << "ZGC's pages count several times";
  executor.at_peak->regions.clear();
  executor.heap_max_bytes = 1200 * kMi;
  EXPECT_TRUE(FindFullContainer(executor, nullptr)) << "it is larger than the container";
}

// YARN rounds what is requested up: the cgroup may be larger.
TEST(FullContainer, WhatIsRequestedGrowsNotTheLimit) {
  ReportExecutor executor = FullExecutor();
  executor.requested_bytes = 700 * kMi;
  const std::optional<ReportFinding> finding = FindFullContainer(executor, nullptr);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->advice[0].to, "625m") << "200 and what 700 lack of 1125";
}

TEST(FullContainer, NothingIsAdvisedThatNobodyGrants) {
  ReportExecutor executor = FullExecutor();
  executor.requested_bytes = 1000 * kMi;
  const SparkSettings settings = {{"yarn.scheduler.maximum-allocation-mb", "1100"}};
  const std::optional<ReportFinding> finding = FindFullContainer(executor, &settings);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->advice[0].conf, "");
  EXPECT_EQ(finding->advice[0].because,
            "fewer tasks at once: a container of 1.1 GiB, where the same use is 80 % of it, is more than what "
            "yarn.scheduler.maximum-allocation-mb grants (1.1 GiB)");
}

// Its own cgroup is what would be larger; and in client mode it runs no tasks.
TEST(FullContainer, ADriversCgroupIsNoBoundOfItself) {
  ReportExecutor driver = FullExecutor();
  driver.id = "driver";
  driver.limit_source = "cgroup";
  driver.requested_bytes = 512 * kMi;
  for (const char* master : {"yarn", "spark://m:7077", "local[4]"}) {
    SparkSettings settings = {{"spark.master", master}};
    EXPECT_EQ(FindFullContainer(driver, &settings)->advice[0].because,
              "a container of 1.1 GiB instead of 1000.0 MiB: the same use is 80 % of it");
  }
  driver.host_memory_bytes = 1050 * kMi;
  for (const char* master : {"local", "local[4]"}) {
    const SparkSettings local = {{"spark.master", master}};
    EXPECT_TRUE(FindFullContainer(driver, &local)->advice[0].because.starts_with("fewer tasks at once: ")) << master;
  }
  const SparkSettings settings = {{"spark.master", "local-cluster[2,1,1024]"}};
  EXPECT_EQ(
      FindFullContainer(driver, &settings)->advice[0].because,
      "less in the driver: a container of 1.1 GiB, where the same use is 80 % of it, is more than what the host it ran on has (1.0 GiB)");
}

// A manager that uses no cgroup may have rounded up what was requested.
TEST(FullContainer, AManagerWithoutACgroupMayEndIt) {
  ReportExecutor executor = FullExecutor();
  executor.limit_source = "spark";
  executor.requested_bytes = executor.limit_bytes;
  EXPECT_TRUE(FindFullContainer(executor, nullptr)->headline.ends_with(" and lived: a little more, and its cluster manager may end it."));
}

TEST(FullContainer, ASharedLimitIsNoSingleExecutors) {
  ReportExecutor executor = FullExecutor();
  executor.limit_shared = true;
  const std::optional<ReportFinding> finding = FindFullContainer(executor, nullptr);
  ASSERT_TRUE(finding);
  EXPECT_TRUE(finding->headline.starts_with("All that shares the limit of executor 2 used 900.0 MiB of 1000.0 MiB (90 %)"));
  EXPECT_EQ(finding->advice[0].conf, "");
}

TEST(FullContainer, NotWithRoomNorWithoutALimitThatIsEnforced) {
  EXPECT_FALSE(FindFullContainer(FullExecutor(849 * kMi), nullptr));
  EXPECT_TRUE(FindFullContainer(FullExecutor(850 * kMi), nullptr));
  ReportExecutor executor = FullExecutor();
  executor.limit_enforced = false;
  EXPECT_FALSE(FindFullContainer(executor, nullptr));
  executor = FullExecutor();
  executor.limit_bytes.reset();
  EXPECT_FALSE(FindFullContainer(executor, nullptr));
  executor = FullExecutor();
  executor.limit_source = "host";
  EXPECT_FALSE(FindFullContainer(executor, nullptr)) << "no container's limit";
  executor = FullExecutor();
  executor.at_peak.reset();
  EXPECT_FALSE(FindFullContainer(executor, nullptr));
}

TEST(GrowingLine, IsToldWithItsIntervalAndWhatEndsIt) {
  ReportLeak leak;
  leak.function = "f";
  leak.file = "/jobs/job.py";
  leak.line = 12;
  leak.workers = 1;
  leak.largest = {"1", 4711, 12, 12, kMi, kMi, kMi, 12 * kMi};
  const std::optional<ReportFinding> finding = FindGrowingLine(leak);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->headline,
            "job.py:12 f leaves more behind with every task: + 1.0 MiB a task (95 %: 1.0 MiB to 1.0 MiB) over 12 tasks of pid 4711 on "
            "executor 1, which holds 12.0 MiB.");
  ASSERT_EQ(finding->advice.size(), 2u);
  EXPECT_EQ(finding->advice[1].conf, "spark.python.worker.reuse");
  EXPECT_EQ(finding->advice[1].to, "false");
}

// Seven tasks of 100 MiB and one of nine times that.
ReportStage UnevenStage() {
  ReportStage stage;
  stage.stage_id = 3;
  for (int i = 0; i < 8; ++i) {
    ReportTask task;
    task.task_attempt_id = 20 + i;
    task.partition = i;
    task.status = ReportTaskStatus::kCounted;
    task.figures.fill(kNoTaskFigure);
    task.figures[static_cast<size_t>(TaskFigure::kPythonLiveAtPeak)] = (i == 5 ? 900 : 100) * kMi;
    stage.task_rows.push_back(task);
  }
  stage.distributions = {{TaskFigure::kPythonLiveAtPeak, 8, {100 * kMi, 100 * kMi, 100 * kMi, 100 * kMi, 900 * kMi}, 9.0}};
  return stage;
}

TEST(UnevenTasks, AreToldByTaskAndPartition) {
  const std::optional<ReportFinding> finding = FindUnevenTasks(UnevenStage());
  ASSERT_TRUE(finding);
  EXPECT_EQ(
      finding->headline,
      "In stage 3 task 25 (partition 5) held 900.0 MiB of Python and native memory at its peak, 9× the median of 8 tasks (100.0 MiB).");
  EXPECT_EQ(finding->stage_id, 3);
  EXPECT_EQ(finding->advice[0].because,
            "divide its partition into 9 (salt the key that the data is grouped or joined by, or repartition before it): each then has "
            "about 100.0 MiB");
}

TEST(UnevenTasks, NotBelowNineTimesNorOfLittleNorOfFewTasks) {
  ReportStage stage = UnevenStage();
  stage.task_rows[5].figures[static_cast<size_t>(TaskFigure::kPythonLiveAtPeak)] = 890 * kMi;
  EXPECT_FALSE(FindUnevenTasks(stage));
  stage = UnevenStage();
  for (ReportTask& task : stage.task_rows) task.figures[static_cast<size_t>(TaskFigure::kPythonLiveAtPeak)] /= 15;
  EXPECT_FALSE(FindUnevenTasks(stage)) << "60 MiB, and nine times the others'";
  stage = UnevenStage();
  stage.task_rows.erase(stage.task_rows.begin(), stage.task_rows.begin() + 5);
  EXPECT_FALSE(FindUnevenTasks(stage)) << "three tasks";
  stage = UnevenStage();
  stage.distributions.clear();
  EXPECT_FALSE(FindUnevenTasks(stage)) << "rows were dropped";
  stage = UnevenStage();
  for (ReportTask& task : stage.task_rows) {
    uint64_t& held = task.figures[static_cast<size_t>(TaskFigure::kPythonLiveAtPeak)];
    held += 1'000 * kMi;
    task.figures[static_cast<size_t>(TaskFigure::kPythonKept)] = 1'000 * kMi;
  }
  EXPECT_FALSE(FindUnevenTasks(stage)) << "1900 MiB against 1100";
  stage = UnevenStage();
  for (ReportTask& task : stage.task_rows)
    std::swap(task.figures[static_cast<size_t>(TaskFigure::kPythonLiveAtPeak)], task.figures[static_cast<size_t>(TaskFigure::kDurationMs)]);
  EXPECT_FALSE(FindUnevenTasks(stage)) << "a long task is no large one";
}

}  // namespace
}  // namespace memprof
