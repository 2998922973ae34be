#include "report/since.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(LeaveOutBefore, WhatBeganBeforeGoesAndExecutorsStay) {
  Report report;
  report.executors.emplace_back().id = "1";
  for (int32_t number : {0, 1, 2}) {
    ReportStage& stage = report.stages.emplace_back();
    stage.stage_id = number;
    if (number != 2) stage.submitted_ms = 100 + number;
    report.findings.push_back({"spilled", number, 0, {}});
    report.post_mortems.emplace_back().time_ms = 100 + number;
  }
  report.findings.push_back({"of no stage", std::nullopt, std::nullopt, {}});
  report.other_stages.emplace();
  report.driver.emplace();
  report.driver->actions.resize(2);
  report.driver->actions[0].started_ms = 100;
  report.driver->actions[1].started_ms = 101;
  report.driver->other_actions.emplace();

  LeaveOutBefore(101, &report);

  ASSERT_EQ(report.stages.size(), 1u) << "one that begins in that millisecond stays, one of unknown time goes";
  EXPECT_EQ(report.stages[0].stage_id, 1);
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].stage_id, 1);
  EXPECT_EQ(report.post_mortems.size(), 2u);
  ASSERT_EQ(report.driver->actions.size(), 1u);
  EXPECT_EQ(report.driver->actions[0].started_ms, 101);
  EXPECT_FALSE(report.driver->other_actions);
  EXPECT_FALSE(report.other_stages);
  EXPECT_EQ(report.executors.size(), 1u);
  ASSERT_EQ(report.not_available.size(), 1u) << "it is told";
}

}  // namespace
}  // namespace memprof
