#include "report/json_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/json.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;

ReportStage StageOf(size_t tasks) {
  ReportStage stage;
  for (size_t i = 0; i < tasks; ++i) {
    ReportTask& task = stage.task_rows.emplace_back();
    task.task_attempt_id = static_cast<int64_t>(i) + 40;
    task.figures.fill(kNoTaskFigure);
    task.figures[2] = 1'000'003 - i;
  }
  stage.task_rows_known = tasks;
  return stage;
}

// As a report's reader has it.
ReportStage StageFrom(const std::string& json) {
  return (*ReadReportJson(R"({"schemaVersion": 1, "executors": [], "stages": [)" + json + "]}")).stages.at(0);
}

TEST(JsonTasks, SmallStagesHaveAllTheirRowsAndLargeOnesShareTheRest) {
  std::vector<ReportStage> stages{StageOf(40'000), StageOf(7), StageOf(20'000), StageOf(0)};
  EXPECT_THAT(TaskRowsShown(stages), ElementsAre(14'997, 7, 14'996, 0));
  stages.erase(stages.begin());
  EXPECT_THAT(TaskRowsShown(stages), ElementsAre(7, 20'000, 0));
}

TEST(JsonTasks, AReportIsCutAndSaysSo) {
  Report report;
  report.stages.push_back(StageOf(30'001));
  const Json columns = Json::parse(WriteReportJson(report))["stages"][0]["taskRows"];
  EXPECT_EQ(columns["known"], 30'001);
  EXPECT_EQ(columns["taskAttemptIds"].size(), 30'000u);
  EXPECT_EQ(columns["pythonLiveAtPeakBytes"].back(), 1'000'003 - 29'999);
  EXPECT_EQ(columns["durationMs"].back(), nullptr);
  const Json page = Json::parse(WriteTasksJson(report, report.stages[0], {29'999, 100}));
  EXPECT_EQ(page["total"], 30'001);
  EXPECT_EQ(page["taskRows"]["taskAttemptIds"], Json({40 + 29'999, 40 + 30'000}));
}

TEST(JsonTasks, WhatIsReadIsWhatWasWritten) {
  ReportStage stage = StageOf(2);
  stage.task_rows[1].status = ReportTaskStatus::kSuperseded;
  stage.task_rows[1].executor_id = "driver";
  stage.task_rows[1].partition = 0;
  stage.task_rows[1].attempt = 3;
  stage.task_rows[1].launched_ms = 1'700'000'000'123;
  stage.distributions.push_back({TaskFigure::kGcMs, 2, {0, 0, 0, 0, 5}, std::nullopt});
  stage.distributions.push_back({TaskFigure::kPythonAllocated, 9, {1, 2, 3, 4, 50}, 50.0 / 3});
  const ReportStage back = StageFrom(WriteStageJson(stage));
  ASSERT_EQ(back.task_rows.size(), 2u);
  EXPECT_EQ(back.task_rows_known, 2u);
  EXPECT_EQ(back.task_rows[0].figures, stage.task_rows[0].figures);
  EXPECT_EQ(back.task_rows[1].status, ReportTaskStatus::kSuperseded);
  EXPECT_EQ(back.task_rows[1].executor_id, "driver");
  EXPECT_EQ(back.task_rows[1].partition, 0);
  EXPECT_EQ(back.task_rows[1].attempt, 3);
  EXPECT_EQ(back.task_rows[1].launched_ms, 1'700'000'000'123);
  ASSERT_EQ(back.distributions.size(), 2u);
  EXPECT_EQ(back.distributions[0].figure, TaskFigure::kGcMs);
  EXPECT_EQ(back.distributions[0].skew, std::nullopt);
  EXPECT_EQ(back.distributions[1].quantiles, stage.distributions[1].quantiles);
  EXPECT_DOUBLE_EQ(back.distributions[1].skew.value(), 16.67);
}

TEST(JsonTasks, ColumnsThatDoNotFitAreUnknown) {
  const ReportStage back = StageFrom(R"({"taskRows": {"known": 1, "taskAttemptIds": [5, "x", 7], "partitions": [1, 2], "gcMs": [1, -2, 3],
                                         "statuses": "lost", "executors": [1, null, "2"], "attempts": [0, 99999999999, null]},
                                         "distributions": [{"figure": "nobody's"}, 4]})");
  ASSERT_EQ(back.task_rows.size(), 3u);
  EXPECT_EQ(back.task_rows_known, 3u);
  EXPECT_EQ(back.task_rows[0].partition, -1);
  EXPECT_EQ(back.task_rows[1].attempt, -1);
  EXPECT_EQ(back.task_rows[1].figures[1], kNoTaskFigure);
  EXPECT_EQ(back.task_rows[2].figures[1], 3u);
  EXPECT_EQ(back.task_rows[2].executor_id, "2");
  EXPECT_TRUE(back.distributions.empty());
}

}  // namespace
}  // namespace memprof
