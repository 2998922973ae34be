#include "rollup/task_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "intake/delivery.h"
#include "report/profile_builder.h"
#include "rollup/bounds.h"
#include "rollup/state.h"
#include "store/profile_store.h"
#include "store/report_builder.h"

namespace memprof {
namespace {

using ::testing::ElementsAre;
using testing::Java;
using testing::ProfileBuilder;
using testing::Python;

constexpr uint64_t kNone = kNoTaskFigure;

std::string TaskBytes(int64_t id, uint64_t live_clean, uint64_t live_score, uint64_t heap) {
  ProfileBuilder task(id, 3, static_cast<int>(id), "7");
  const uint32_t clean = task.Udf("clean", "/job.py", 4, "SCALAR_PANDAS_UDF"), score = task.Udf("score", "/job.py", 9, "SCALAR_PANDAS_UDF");
  const auto site = [&](uint32_t udf, uint32_t line, uint64_t live) {
    proto::Site& made = task.Site(proto::ORIGIN_PYTHON, {Python("f", "/job.py", line)}, 3 * live, 1);
    made.set_udf(udf);
    made.set_live_at_peak_bytes(live);
  };
  site(clean, 5, live_clean);
  site(clean, 6, 1);
  site(score, 10, live_score);
  task.Site(proto::ORIGIN_JVM_HEAP, {Java("", "a.B.c", "B.java", 1)}, heap, 1);
  task.profile().mutable_spark_memory()->set_peak_execution_bytes(70'001 + static_cast<uint64_t>(id));
  if (id == 2) task.profile().set_gc_stopped_ms(7);
  return task.Bytes();
}

// Six tasks, of which number 3 is a second attempt of a partition and number 5 failed.
void Fill(ProfileStore& store) {
  for (int id = 0; id < 6; ++id) {
    const auto size = static_cast<uint64_t>(id);
    ASSERT_TRUE(store.Ingest(TaskBytes(id, 1'000'003 + size * 1009, id == 4 ? 9'000'011 : 17, 50'021 - size)).ok());
    const TaskTimes times = id == 1 ? TaskTimes() : TaskTimes{1'000'000, 11 * id};
    store.TaskEnded({id, 3, 0, id == 3 ? 2 : id, id == 3 ? 1 : 0, "7", id == 5 ? TaskOutcome::kFailed : TaskOutcome::kSucceeded, "",
                     1'000'500 + id, times});
  }
  store.StageCompleted(3, 0, "", 1'100'000);
}

// No worker served it, and another profiler had the JVM's samples.
TEST(TaskRows, WhatWasNotMeasuredIsNotZero) {
  ProfileStore store;
  for (const int id : {0, 1}) {
    ProfileBuilder task(id, 3, id, "7");
    if (id == 0) task.profile().set_jvm_interval_bytes(0);
    ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
    store.TaskEnded({id, 3, 0, id, 0, "7", TaskOutcome::kSucceeded, "", 1'000'500});
  }
  const Report report = store.Model(false);
  for (const ReportTask& task : report.stages.at(0).task_rows) {
    EXPECT_EQ(task.figures[static_cast<size_t>(TaskFigure::kPythonAllocated)], kNone);
    EXPECT_EQ(task.figures[static_cast<size_t>(TaskFigure::kHeapAllocated)], task.task_attempt_id == 0 ? kNone : 0u) << "no sample: little";
  }
}

TEST(TaskRows, WhatIsPaidOnceForAllHasColumnsOfItsOwn) {
  ProfileStore store;
  ProfileBuilder task(0, 3, 0, "7");
  const auto hold = [&](uint32_t line, uint64_t at_peak, uint64_t at_end) {
    proto::Site& site = task.Site(proto::ORIGIN_PYTHON, {Python("f", "/job.py", line)}, 2 * at_peak, 1);
    site.set_live_at_peak_bytes(at_peak);
    site.set_live_bytes(at_end);
  };
  hold(5, 3'000'017, 2'000'003);  // a part of it stays
  hold(6, 1'000'003, 9'000'011);  // what came after the peak is no part of it
  task.Site(proto::ORIGIN_JVM_HEAP, {Java("", "org.apache.spark.broadcast.Broadcast.value", "B.scala", 1), Java("", "a.B.c", "B.java", 1)},
            70'001, 1);
  task.Site(proto::ORIGIN_JVM_HEAP, {Java("", "a.B.c", "B.java", 1)}, 50'021, 1);
  ASSERT_TRUE(store.Ingest(task.Bytes()).ok());
  store.TaskEnded({0, 3, 0, 0, 0, "7", TaskOutcome::kSucceeded, "", 1'000'500});
  const TaskFigures figures = store.Model(false).stages.at(0).task_rows.at(0).figures;
  EXPECT_EQ(figures[static_cast<size_t>(TaskFigure::kPythonKept)], 2'000'003u + 1'000'003);
  EXPECT_EQ(figures[static_cast<size_t>(TaskFigure::kHeapAllocated)], 70'001u + 50'021);
  EXPECT_EQ(figures[static_cast<size_t>(TaskFigure::kHeapOfBroadcasts)], 70'001u);
}

const ReportDistribution* Find(const ReportStage& stage, TaskFigure figure) {
  for (const ReportDistribution& each : stage.distributions) {
    if (each.figure == figure) return &each;
  }
  return nullptr;
}

void ExpectTheSix(const ReportStage& stage) {
  ASSERT_EQ(stage.task_rows.size(), 6u);
  EXPECT_EQ(stage.task_rows_known, 6u);
  std::vector<int64_t> ids;
  for (const ReportTask& row : stage.task_rows) ids.push_back(row.task_attempt_id);
  EXPECT_THAT(ids, ElementsAre(4, 5, 3, 2, 1, 0)) << "heaviest first";
  const ReportTask& heaviest = stage.task_rows[0];
  EXPECT_EQ(heaviest.partition, 4);
  EXPECT_EQ(heaviest.attempt, 0);
  EXPECT_EQ(heaviest.status, ReportTaskStatus::kCounted);
  EXPECT_EQ(heaviest.executor_id, "7");
  EXPECT_EQ(heaviest.launched_ms, 1'000'000);
  constexpr uint64_t kHeld = 1'000'003 + 4 * 1009 + 1 + 9'000'011;
  EXPECT_EQ(heaviest.figures, (TaskFigures{504, 44, kHeld, 3 * kHeld, 50'017, kNone, 70'005, kNone, kNone, kNone}));
  EXPECT_EQ(stage.task_rows[1].status, ReportTaskStatus::kFailed);
  EXPECT_EQ(stage.task_rows[2].status, ReportTaskStatus::kSuperseded);
  EXPECT_EQ(stage.task_rows[2].attempt, 1);
  EXPECT_EQ(stage.task_rows[3].figures[1], 7u) << "the agent's pauses, not Spark's 22 ms, which may be those of concurrent cycles";
  EXPECT_EQ(stage.task_rows[4].launched_ms, std::nullopt);
  EXPECT_EQ(stage.task_rows[4].figures[0], kNone) << "without a launch there is no duration";

  const auto held = [](uint64_t id) { return 1'000'003 + id * 1009 + 1 + 17; };
  const ReportDistribution* live = Find(stage, TaskFigure::kPythonLiveAtPeak);
  ASSERT_NE(live, nullptr);
  EXPECT_EQ(live->tasks, 4u) << "0, 1, 2 and 4 count";
  EXPECT_THAT(live->quantiles, ElementsAre(held(0), held(1), held(2), kHeld, kHeld));
  EXPECT_DOUBLE_EQ(live->skew.value(), static_cast<double>(kHeld) / static_cast<double>(held(2)));
  const ReportDistribution* duration = Find(stage, TaskFigure::kDurationMs);
  ASSERT_NE(duration, nullptr);
  EXPECT_EQ(duration->tasks, 3u);
  EXPECT_THAT(duration->quantiles, ElementsAre(500, 500, 502, 504, 504));
  EXPECT_EQ(Find(stage, TaskFigure::kSpilledMemory), nullptr) << "nobody has it";
  EXPECT_DOUBLE_EQ(stage.gc_percent.value(), 100.0 * (0 + 7 + 44) / (500 + 502 + 504)) << "of 0, 2 and 4; nobody knows 1's time";

  ASSERT_EQ(stage.udfs.size(), 2u);
  EXPECT_EQ(stage.udfs[0].udf->name, "score");
  EXPECT_EQ(stage.udfs[0].live_at_peak_bytes, 9'000'011u) << "the largest of any one task";
  EXPECT_EQ(stage.udfs[0].allocated_bytes, 3u * (3 * 17 + 9'000'011));
  EXPECT_EQ(stage.udfs[0].tasks, 4u);
  EXPECT_EQ(stage.udfs[1].udf->name, "clean");
  EXPECT_EQ(stage.udfs[1].live_at_peak_bytes, 1'000'003u + 4 * 1009 + 1) << "a task's sites of a function add up";
}

TEST(TaskRows, EachAttemptHasARowAndThoseThatCountADistribution) {
  ProfileStore store;
  Fill(store);
  ExpectTheSix(store.Model(false).stages.at(0));
}

TEST(TaskRows, FoldedTasksKeepTheirRows) {
  // As little room as keeps six tasks folded.
  StoreState state(1u << 20);
  for (int id = 0; id < 4000; ++id) {
    ASSERT_TRUE(Deliver(TaskBytes(id, 1'000'003, 17, 50'021), state).ok());
    TaskFacts& task = state.tasks[id];
    task.stage_id = 3;
    task.stage_attempt = 0;
    task.partition = id;
    task.ended = true;
    task.launched_ms = 1'000;
    task.end_ms = 1'700 + id % 100;
    state.Stage({3, 0}).completed = true;
    KeepWithinLimit(state);
  }
  ASSERT_GT(state.folded_tasks.size(), 0u);
  ASSERT_EQ(state.dropped_task_rows, 0u);
  const ReportStage stage = BuildReport(state, false).report.stages.at(0);
  EXPECT_EQ(stage.task_rows.size(), 4000u);
  const ReportDistribution* duration = Find(stage, TaskFigure::kDurationMs);
  ASSERT_NE(duration, nullptr);
  EXPECT_EQ(duration->tasks, 4000u);
  EXPECT_THAT(duration->quantiles, ElementsAre(700, 725, 750, 775, 799));
  ASSERT_EQ(stage.udfs.size(), 2u);
  EXPECT_EQ(stage.udfs[0].tasks, 4000u);
  EXPECT_EQ(stage.udfs[0].live_at_peak_bytes, 1'000'004u);
}

TEST(TaskRows, WhereRowsWereLetGoNothingIsSaidOfAllTasks) {
  StoreState state(1);
  constexpr int kTasks = 700;
  state.Stage({3, 0}).completed = true;
  for (int id = 0; id < kTasks; ++id) {
    ASSERT_TRUE(Deliver(TaskBytes(id, 1'000'003 + static_cast<uint64_t>(id), 17, 50'021), state).ok());
    TaskFacts& task = state.tasks[id];
    task.stage_id = 3;
    task.stage_attempt = 0;
    task.partition = id;
    task.ended = true;
    task.end_ms = 1'700;
  }
  KeepWithinLimit(state);
  const Report report = BuildReport(state, false).report;
  const ReportStage& stage = report.stages.at(0);
  ASSERT_GT(stage.task_rows.size(), 0u);
  ASSERT_LT(stage.task_rows.size(), size_t{kTasks});
  EXPECT_EQ(stage.task_rows[0].task_attempt_id, kTasks - 1) << "the heaviest stay";
  EXPECT_TRUE(stage.distributions.empty());
  EXPECT_EQ(stage.gc_percent, std::nullopt);
  EXPECT_EQ(stage.tasks, uint64_t{kTasks});
  EXPECT_EQ(state.dropped_task_rows, kTasks - stage.task_rows.size());
  EXPECT_TRUE(std::any_of(report.counters.begin(), report.counters.end(), [&](const auto& counter) {
    return counter.first == "droppedTaskRows" && counter.second == state.dropped_task_rows;
  }));
}

}  // namespace
}  // namespace memprof
