#include "report/comparison.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

ReportLine Line(const std::string& function, uint32_t number, uint64_t live, const std::string& source = "", uint64_t error = 30) {
  ReportLine line;
  line.udf = ReportUdf{"each", "RDD", "/jobs/job.py", 3};
  line.function = function;
  line.file = "/jobs/job.py";
  line.line = number;
  line.source = source;
  line.live_at_peak_bytes = live;
  line.allocated_bytes = live + 100;
  line.error_bytes = error;
  return line;
}

Report Of(std::vector<std::vector<ReportLine>> stages) {
  Report report;
  for (std::vector<ReportLine>& lines : stages) report.stages.emplace_back().lines = std::move(lines);
  return report;
}

TEST(Comparison, ALineThatMovedIsTheSameByItsText) {
  const Comparison comparison = Compare(Of({{Line("each", 7, 5001, "a = load()"), Line("each", 9, 11, "b = 1")}}),
                                        Of({{Line("each", 17, 9003, "a = load()"), Line("each", 19, 11, "b = 1")}}));
  ASSERT_EQ(comparison.lines.size(), 1u) << "b = 1 has moved, too, and not changed";
  EXPECT_EQ(comparison.lines[0].live_change(), 4002);
  EXPECT_EQ(comparison.lines[0].before->line, 7u);
  EXPECT_EQ(comparison.lines[0].after->line, 17u);
}

TEST(Comparison, WhatWasTypedHasAnotherNumberInEachRun) {
  const auto typed = [](const char* file, uint64_t live) {
    ReportLine line = Line("each", 2, live, "a = load()");
    line.file = file;
    return line;
  };
  for (const auto& [one, other] : {std::pair("notebook cell 3", "notebook cell 5"), std::pair("<python-input-3>", "<stdin-5>")}) {
    const Comparison comparison = Compare(Of({{typed(one, 5001)}}), Of({{typed(other, 4000)}}));
    ASSERT_EQ(comparison.lines.size(), 1u) << one;
    EXPECT_EQ(comparison.lines[0].live_change(), -1001);
  }
}

TEST(Comparison, ByNumberWhereAReportHasNoTexts) {
  const Comparison comparison = Compare(Of({{Line("each", 7, 5001, "a = load()")}}), Of({{Line("each", 7, 4000)}}));
  ASSERT_EQ(comparison.lines.size(), 1u);
  EXPECT_EQ(comparison.lines[0].live_change(), -1001);
}

TEST(Comparison, WhatWasNotMeasuredHasNoChange) {
  ReportLine unmeasured = Line("each", 7, 5001, "a = load()");
  unmeasured.live_at_peak_bytes.reset();
  unmeasured.allocated_bytes = 9;
  const Comparison comparison = Compare(Of({{unmeasured}}), Of({{Line("each", 7, 5001, "a = load()")}}));
  ASSERT_EQ(comparison.lines.size(), 1u);
  EXPECT_EQ(comparison.lines[0].live_change(), std::nullopt);
}

TEST(Comparison, RedactedLinesAreToldApartByNumber) {
  const Comparison comparison = Compare(Of({{Line("each", 7, 5001, "(redacted)"), Line("each", 8, 11, "(redacted)")}}),
                                        Of({{Line("each", 7, 5001, "(redacted)"), Line("each", 8, 12, "(redacted)")}}));
  ASSERT_EQ(comparison.lines.size(), 1u);
  EXPECT_EQ(comparison.lines[0].before->line, 8u);
}

TEST(Comparison, NewAndGoneLinesAndTheOrderOfChange) {
  const Comparison comparison =
      Compare(Of({{Line("gone", 1, 700'000), Line("same", 2, 5)}}), Of({{Line("fresh", 3, 900'000), Line("same", 2, 5)}}));
  ASSERT_EQ(comparison.lines.size(), 2u);
  EXPECT_EQ(comparison.lines[0].function, "fresh");
  EXPECT_FALSE(comparison.lines[0].before);
  EXPECT_EQ(comparison.lines[1].live_change(), -700'000);
  EXPECT_FALSE(comparison.lines[1].after);
}

TEST(Comparison, OverStagesTheLargestIsHeldAndAllocationsAddUp) {
  const Comparison comparison =
      Compare(Of({}), Of({{Line("each", 7, 4001, "", 50)}, {Line("each", 7, 9001, "", 40)}, {Line("each", 7, 2001, "", 60)}}));
  ASSERT_EQ(comparison.lines.size(), 1u);
  const ComparedFigures& after = *comparison.lines[0].after;
  EXPECT_EQ(after.live_at_peak_bytes, 9001u);
  EXPECT_EQ(after.allocated_bytes, 4101u + 9101u + 2101u);
  EXPECT_EQ(after.error_bytes, 40u) << "of what is held";
}

TEST(Comparison, WithoutLiveBytesTheErrorIsThatOfAllAllocations) {
  std::vector<ReportLine> lines(3, Line("each", 7, 0));
  for (ReportLine& line : lines) line.live_at_peak_bytes.reset();
  const Comparison comparison = Compare(Of({}), Of({{lines[0]}, {lines[1]}, {lines[2]}}));
  ASSERT_EQ(comparison.lines.size(), 1u);
  EXPECT_EQ(comparison.lines[0].after->error_bytes, 52u) << "30 * sqrt(3): they were sampled independently";
}

TEST(Comparison, Sums) {
  Report before = Of({{}}), after = Of({{}, {}});
  before.post_mortems.resize(2);
  before.executors.resize(2);
  before.executors[1].at_peak.emplace().used_bytes = 2'400'000'001;
  ReportOriginSum python;
  python.origin = Origin::kPython;
  python.allocated_bytes = 1001;
  python.live_at_peak_bytes = 501;
  before.stages[0].totals = {python};
  after.stages[0].totals = after.stages[1].totals = {python};
  after.stages[1].totals[0].live_at_peak_bytes = 701;
  python.allocated_bytes = 40'000;  // of stages without a row
  python.live_at_peak_bytes = 601;
  before.other_stages.emplace().totals = {python};
  const auto sum = [&, comparison = Compare(before, after)](const std::string& key) {
    for (const ComparedSum& each : comparison.sums) {
      if (each.key == key) return std::pair(each.before, each.after);
    }
    ADD_FAILURE() << key;
    return std::pair<std::optional<uint64_t>, std::optional<uint64_t>>();
  };
  using Both = std::pair<std::optional<uint64_t>, std::optional<uint64_t>>;
  EXPECT_EQ(sum("postMortems"), Both(2, 0));
  EXPECT_EQ(sum("fullestExecutorBytes"), Both(2'400'000'001, std::nullopt)) << "not measured isn't 0";
  EXPECT_EQ(sum("pythonAllocatedBytes"), Both(41'001, 2002));
  EXPECT_EQ(sum("pythonLiveAtPeakBytes"), Both(601, 701));
}

}  // namespace
}  // namespace memprof
