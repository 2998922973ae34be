#include "store/metrics.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "intake/delivery.h"
#include "report/postmortem/scene.h"
#include "report/sample_store.h"
#include "rollup/bounds.h"
#include "rollup/executor_rows.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

using Json = nlohmann::json;

int64_t Metric(const ProfileStore& store, std::string_view name) {
  const MetricValues values = store.Metrics();
  for (size_t i = 0; i < values.size(); ++i) {
    if (kMetricNames[i] == name) return values[i];
  }
  ADD_FAILURE() << "no metric " << name;
  return -2;
}

TEST(Metrics, AreFiguresOfTheReport) {
  ProfileStore store;
  testing::FillSample(store);
  const Json report = Json::parse(store.ReportJson(true));
  int64_t peak = -1, percent = -1, python = -1, running = 0;
  for (const Json& executor : report["executors"]) {
    if (!executor["agentLoaded"].is_null() && executor["removedMs"].is_null()) ++running;
    for (const Json& process : executor["processes"]) {
      if (process["kind"].get<std::string>().starts_with("python")) python = std::max(python, process["peakRssBytes"].get<int64_t>());
    }
    if (executor["atPeak"].is_null()) continue;
    const int64_t used = executor["atPeak"]["usedBytes"];
    peak = std::max(peak, used);
    if (executor["limitEnforced"] == true && !executor["limitBytes"].is_null())
      percent = std::max(percent, used * 100 / executor["limitBytes"].get<int64_t>());
  }
  ASSERT_GT(peak, 0);
  ASSERT_GT(python, 0);
  EXPECT_EQ(Metric(store, "executors"), running);
  EXPECT_EQ(Metric(store, "largestExecutorPeakBytes"), peak);
  EXPECT_EQ(Metric(store, "largestExecutorPeakPercentOfLimit"), percent);
  EXPECT_EQ(Metric(store, "largestPythonProcessPeakBytes"), python);
  EXPECT_EQ(Metric(store, "leakingLines"), static_cast<int64_t>(report["leaks"].size()));
  EXPECT_EQ(Metric(store, "postMortems"), static_cast<int64_t>(report["postMortems"].size()));
}

void Runs(const std::string& id, ProfileStore& store) {
  proto::Envelope snapshot = testing::LastSnapshot(880 * testing::kMi, id);
  snapshot.mutable_executor()->set_agent_loaded("jar");
  ASSERT_TRUE(store.Ingest(snapshot.SerializeAsString()).ok());
}

TEST(Metrics, TheDriverIsAnExecutorInLocalModeAlone) {
  for (const char* master : {"spark://m:7077", "yarn", "local[2]"}) {
    ProfileStore store;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", master, 1000);
    Runs("driver", store);
    EXPECT_EQ(Metric(store, "executors"), master == std::string_view("local[2]")) << master;
    store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, 1100});
    Runs("1", store);
    EXPECT_EQ(Metric(store, "executors"), master == std::string_view("local[2]") ? 2 : 1) << master;
  }
}

TEST(Metrics, ExecutorsWithoutARowRunAsWell) {
  constexpr int kBeyond = static_cast<int>(kMostExecutorRows) + 7;
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "yarn", 1000);
  for (int i = 0; i < kBeyond; ++i) {
    store.ExecutorAdded({std::to_string(i), "node7", 2, 512, -1, -1, -1, 1100});
    Runs(std::to_string(i), store);
  }
  EXPECT_EQ(Metric(store, "executors"), kBeyond);
}

// The nearest to its limit: a container that is smaller than those which have a row, with a larger Python process in it.
proto::Envelope NearlyFull(const std::string& id) {
  proto::Envelope envelope = testing::LastSnapshot(880 * testing::kMi, id);
  envelope.mutable_executor()->set_cgroup_limit_bytes(900 * testing::kMi);
  testing::AddProcess(*envelope.mutable_executor()->add_processes(), 4131, "python-worker", 700 * testing::kMi, {});
  return envelope;
}

proto::Envelope Roomy(const std::string& id) {
  proto::Envelope envelope = testing::LastSnapshot(1000 * testing::kMi, id);
  envelope.mutable_executor()->set_cgroup_limit_bytes(10'000 * testing::kMi);
  testing::AddProcess(*envelope.mutable_executor()->add_processes(), 4131, "python-worker", 300 * testing::kMi, {});
  return envelope;
}

TEST(Metrics, TheAlarmSeesExecutorsWithoutARow) {
  ProfileStore store;
  store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", "yarn", 1000);
  for (size_t i = 0; i <= kMostExecutorRows; ++i) {
    const std::string id = std::to_string(i);
    ASSERT_TRUE(store.Ingest((i == 0 ? NearlyFull(id) : Roomy(id)).SerializeAsString()).ok());
  }
  const Json report = Json::parse(store.ReportJson(true));
  ASSERT_EQ(report["executors"].size(), kMostExecutorRows);
  ASSERT_EQ(report["executors"][0]["id"], "1");
  EXPECT_EQ(Metric(store, "largestExecutorPeakBytes"), static_cast<int64_t>(1000 * testing::kMi));
  EXPECT_EQ(Metric(store, "largestExecutorPeakPercentOfLimit"), 97);
  EXPECT_EQ(Metric(store, "largestPythonProcessPeakBytes"), static_cast<int64_t>(700 * testing::kMi));
}

TEST(Metrics, TheAlarmRemembersExecutorsThatWereLetGo) {
  constexpr int kExecutors = 3000;
  StoreState state(1u << 20);
  state.application.master = "yarn";
  for (int i = 0; i < kExecutors; ++i) {
    const std::string id = std::to_string(i);
    ASSERT_TRUE(Deliver((i == 0 ? NearlyFull(id) : Roomy(id)).SerializeAsString(), state).ok());
    ExecutorFacts& executor = state.Executor(id);
    executor.removed = true;
    executor.removed_ms = i;
    executor.removed_reason = "Executor killed by driver.";
    KeepWithinLimit(state);
  }
  ASSERT_TRUE(state.WasDropped("0"));
  const MetricValues values = MetricsOf(state);
  EXPECT_EQ(values[2], 97);
  EXPECT_EQ(values[3], static_cast<int64_t>(700 * testing::kMi));
}

// Standalone and local mode reserve the heap alone: beside it, Python's memory is no reason for an alarm.
TEST(Metrics, WhatNobodyEnforcesIsNoLimit) {
  for (const bool enforced : {false, true}) {
    ProfileStore store;
    const uint64_t used = 880 * testing::kMi;
    store.ApplicationStarted("app-1", "scene", "4.0.0", "3.11.7", enforced ? "yarn" : "spark://m:7077", 1000);
    store.ExecutorAdded({"1", "node7", 2, 512, -1, -1, -1, 1100});
    proto::Envelope snapshot = testing::LastSnapshot(used);
    snapshot.mutable_executor()->clear_cgroup_limit_bytes();
    ASSERT_TRUE(store.Ingest(snapshot.SerializeAsString()).ok());
    EXPECT_EQ(Metric(store, "largestExecutorPeakBytes"), static_cast<int64_t>(used));
    EXPECT_EQ(Metric(store, "largestExecutorPeakPercentOfLimit"), enforced ? 98 : -1);
  }
}

TEST(Metrics, OfNothingAreNotMeasured) {
  const ProfileStore store;
  EXPECT_EQ(store.Metrics(), (MetricValues{0, -1, -1, -1, 0, 0}));
}

}  // namespace
}  // namespace memprof
