#include "report/exports/exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "proto/pprof.pb.h"
#include "report/json.h"
#include "report/sample_store.h"

namespace memprof {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ExportsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ProfileStore store;
    testing::FillSample(store);
    json_ = store.ReportJson(false);
    report_ = *ReadReportJson(json_);
  }

  // Of all stages' counted attempts, as the report says itself.
  uint64_t TotalAllocated() const {
    uint64_t total = 0;
    for (const ReportStage& stage : report_.stages) {
      for (const ReportOriginSum& sum : stage.totals) total += sum.allocated_bytes;
    }
    return total;
  }

  const ReportSite& HeaviestSite() const {
    const ReportSite* heaviest = nullptr;
    for (const ReportStage& stage : report_.stages) {
      for (const ReportSite& site : stage.sites) {
        if (heaviest == nullptr || site.allocated_bytes > heaviest->allocated_bytes) heaviest = &site;
      }
    }
    return *heaviest;
  }

  std::string json_;
  Report report_;
};

TEST_F(ExportsTest, CollapsedStacksAddUpToTheReport) {
  const Result<std::string> text = RenderCollapsed(json_, Measure::kAllocated);
  ASSERT_TRUE(text.ok());
  std::istringstream stream(*text);
  uint64_t total = 0;
  for (std::string line; std::getline(stream, line);) {
    const size_t blank = line.rfind(' ');
    ASSERT_NE(blank, std::string::npos) << line;
    total += std::stoull(line.substr(blank + 1));
    EXPECT_EQ(line.rfind("stage ", 0), 0u) << line;
  }
  EXPECT_EQ(total, TotalAllocated());
  EXPECT_GT(total, 0u);
}

TEST_F(ExportsTest, ACollapsedStackIsOneLineOfFrames) {
  const Result<std::string> text = RenderCollapsed(json_, Measure::kLiveAtPeak);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("with_cpp (averages.py:27);"));
  EXPECT_THAT(*text, HasSubstr(";weighted_average (weighted_average.cc:21) 399999971\n"));
}

TEST_F(ExportsTest, SemicolonsAndLineFeedsInNamesEndNoFrame) {
  json model = json::parse(json_);
  for (json& stage : model["stages"]) {
    for (json& site : stage["sites"]) site["frames"] = json::array({{{"language", "python"}, {"function", "a;b\nc"}}});
  }
  const Result<std::string> text = RenderCollapsed(model.dump(), Measure::kAllocated);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr(";a,b c "));
}

TEST_F(ExportsTest, SpeedscopeHoldsEachMeasureAsAProfile) {
  const Result<std::string> text = RenderSpeedscope(json_);
  ASSERT_TRUE(text.ok());
  const json file = json::parse(*text);
  EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
  const size_t frames = file["shared"]["frames"].size();
  std::vector<std::string> names;
  for (const json& profile : file["profiles"]) {
    names.push_back(profile["name"]);
    EXPECT_EQ(profile["type"], "sampled");
    EXPECT_EQ(profile["unit"], "bytes");
    ASSERT_EQ(profile["samples"].size(), profile["weights"].size());
    uint64_t sum = 0;
    for (const json& weight : profile["weights"]) sum += weight.get<uint64_t>();
    EXPECT_EQ(profile["endValue"], sum);
    for (const json& sample : profile["samples"]) {
      for (const json& frame : sample) ASSERT_LT(frame.get<size_t>(), frames);
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"allocated", "live at peak", "resident at peak"}));
  EXPECT_EQ(file["profiles"][0]["endValue"], TotalAllocated());
}

TEST_F(ExportsTest, PprofKeepsStacksFiguresAndLabels) {
  const Result<std::string> bytes = RenderPprof(json_);
  ASSERT_TRUE(bytes.ok());
  pprof::Profile profile;
  ASSERT_TRUE(profile.ParseFromString(*bytes));
  ASSERT_EQ(profile.sample_type_size(), 4);
  EXPECT_EQ(profile.string_table(0), "");
  std::set<uint64_t> locations;
  for (const pprof::Location& location : profile.location()) locations.insert(location.id());
  int64_t total = 0;
  const pprof::Sample* heaviest = nullptr;
  for (const pprof::Sample& sample : profile.sample()) {
    ASSERT_EQ(sample.value_size(), 4);
    for (const uint64_t id : sample.location_id()) ASSERT_TRUE(locations.contains(id));
    total += sample.value(0);
    if (heaviest == nullptr || sample.value(0) > heaviest->value(0)) heaviest = &sample;
  }
  EXPECT_EQ(static_cast<uint64_t>(total), TotalAllocated());
  const ReportSite& site = HeaviestSite();
  ASSERT_EQ(static_cast<size_t>(heaviest->location_id_size()), site.frames.size() + 1) << "and the stage";
  EXPECT_EQ(static_cast<uint64_t>(heaviest->value(2)), site.live_at_peak_bytes);
  EXPECT_EQ(static_cast<uint64_t>(heaviest->value(3)), site.resident_at_peak_bytes);
  const pprof::Location& innermost = profile.location(static_cast<int>(heaviest->location_id(0)) - 1);
  const pprof::Function& function = profile.function(static_cast<int>(innermost.line(0).function_id()) - 1);
  EXPECT_EQ(profile.string_table(static_cast<int>(function.name())), site.frames.back().function);
  std::set<std::string> labels;
  for (const pprof::Label& label : heaviest->label()) labels.insert(profile.string_table(static_cast<int>(label.key())));
  EXPECT_EQ(labels, (std::set<std::string>{"stage", "origin", "udf"}));
}

TEST_F(ExportsTest, StagesWithoutARowAreInEach) {
  constexpr uint64_t kOthers = 70'000'003;
  json model = json::parse(json_);
  model["otherStages"] = {{"stages", 2}, {"tasks", 5}, {"otherAttempts", 0}};
  model["otherStages"]["totals"] =
      json::array({{{"origin", "python"}, {"sites", 3}, {"allocatedBytes", kOthers}, {"allocations", 4}, {"liveAtPeakBytes", 3'000'017}}});
  const std::string text = model.dump();
  EXPECT_THAT(*RenderCollapsed(text, Measure::kAllocated),
              HasSubstr("\nother stages;[python: sites without a place of their own] 70000003\n"));
  EXPECT_EQ(json::parse(*RenderSpeedscope(text))["profiles"][0]["endValue"], TotalAllocated() + kOthers);
  EXPECT_THAT(*RenderCsv(text), HasSubstr("\n,,\"other stages\",python,"));
  pprof::Profile profile;
  ASSERT_TRUE(profile.ParseFromString(*RenderPprof(text)));
  int64_t total = 0;
  for (const pprof::Sample& sample : profile.sample()) total += sample.value(0);
  EXPECT_EQ(static_cast<uint64_t>(total), TotalAllocated() + kOthers);
}

TEST_F(ExportsTest, WhatIsNoReportIsRefused) {
  for (const auto& view : {RenderSpeedscope, RenderPprof, RenderCsv}) EXPECT_EQ(view("{}").status().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(RenderCollapsed("{}", Measure::kAllocated).status().code(), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace memprof
