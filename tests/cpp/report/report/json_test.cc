#include "report/json.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "report/sample_store.h"

namespace memprof {
namespace {

using Json = nlohmann::ordered_json;

std::string Sample() {
  ProfileStore store;
  testing::FillSample(store);
  return store.ReportJson(false);
}

TEST(ReportJson, ReadsWhatItWrote) {
  std::string text = Sample();
  Result<Report> report = ReadReportJson(text);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(WriteReportJson(*report), text);
}

TEST(ReportJson, HasThePromisedKeys) {
  Json report = Json::parse(Sample());
  auto expect_keys = [](const Json& object, std::initializer_list<const char*> keys) {
    for (const char* key : keys) EXPECT_TRUE(object.contains(key)) << key;
  };
  expect_keys(report, {"schemaVersion", "unfinished", "application", "executors", "stages", "postMortems", "counters", "notAvailable"});
  expect_keys(report["application"], {"id", "name", "sparkVersion", "pythonVersion"});
  expect_keys(report["executors"][0],
              {"id", "host", "limitBytes", "limitSource", "requestedBytes", "regions", "processes", "atPeak", "removedReason"});
  expect_keys(report["executors"][0]["regions"][0], {"name", "budgetBytes", "peakBytes"});
  expect_keys(report["executors"][0]["processes"][0], {"pid", "kind", "peakRssBytes", "peakRows", "unattributedBytes"});
  expect_keys(report["executors"][0]["atPeak"], {"timeMs", "usedBytes", "regions", "processes", "sites", "unattributedBytes"});
  expect_keys(report["stages"][0], {"stageId", "attempt", "name", "callSite", "tasks", "sites", "otherAttempts"});
  expect_keys(report["stages"][1]["sites"][0], {"origin", "udf", "udfKind", "tasks", "allocatedBytes", "allocations", "liveAtPeakBytes",
                                                "residentAtPeakBytes", "retainedBytes", "sampled", "errorBytes", "frames"});
  expect_keys(report["stages"][1]["sites"][0]["frames"][0], {"language", "function", "file", "line", "module"});
  expect_keys(report["stages"][1]["otherAttempts"], {"tasks", "sites"});
  expect_keys(report["postMortems"][0], {"executorId", "process", "pid", "exitCode", "how", "headline", "outOfMemory", "limitBytes",
                                         "usedBytes", "lastSampleAgeMs", "stageId", "taskAttemptId", "sites", "advice"});
  expect_keys(report["postMortems"][0]["advice"][0], {"conf", "from", "to", "because"});
  expect_keys(report["counters"], {"droppedSites", "droppedTasks"});
}

TEST(ReportJson, RefusesOtherFiles) {
  EXPECT_EQ(ReadReportJson("").status().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ReadReportJson("{\"schemaVersion\": 1").status().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ReadReportJson("[1, 2]").status().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ReadReportJson("{\"schemaVersion\": 1}").status().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ReadReportJson(R"({"schemaVersion": 2, "executors": [], "stages": []})").status().code(), ErrorCode::kUnsupported);
  EXPECT_TRUE(ReadReportJson(R"({"schemaVersion": 1, "executors": [], "stages": []})").ok());
}

// Puts values of other types wherever they fit: whatever a file says, it is read or refused.
TEST(ReportJson, SurvivesDamage) {
  const Json sample = Json::parse(Sample());
  const Json flat = sample.flatten();
  const Json odd[] = {nullptr, -1, 1e300, "text", Json::array({1, "x", nullptr}), true, UINT64_MAX, INT64_MIN, Json::object({{"a", 1}})};
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Json damaged = sample;
    for (int i = 0; i < 5; ++i) {
      auto key = flat.begin();
      std::advance(key, static_cast<long>(random() % flat.size()));
      nlohmann::json_pointer<std::string> pointer(key.key());
      for (unsigned up = random() % 3; up != 0 && !pointer.empty(); --up) pointer = pointer.parent_pointer();
      if (!pointer.empty() && damaged.contains(pointer)) damaged[pointer] = odd[random() % std::size(odd)];
    }
    Result<Report> report = ReadReportJson(damaged.dump());
    if (report.ok()) {
      EXPECT_FALSE(WriteReportJson(*report).empty());
    }
  }
}

// The sample for tests in other languages (tests/python/cli/test_cli_schema.py): written where they ask for it.
TEST(SampleReport, IsWritten) {
  const char* asked = std::getenv("MEMPROF_SAMPLE_REPORT");
  std::string path = asked != nullptr ? asked : ::testing::TempDir() + "sparkmemprof-sample-report.json";
  std::ofstream(path) << Sample();
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), Sample());
}

}  // namespace
}  // namespace memprof
