#include "store/metrics.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/postmortem/scene.h"
#include "report/sample_store.h"
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
