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

ReportLine In(const std::string& file, uint64_t live, const std::string& source = "a = load()") {
  ReportLine line = Line("each", 7, live, source);
  line.file = file;
  return line;
}

TEST(Comparison, AFolderOfTheRunsOwnMakesNoOtherLine) {
  for (const auto& [before, after] :
       {std::pair("a = load()", "a = load()"), std::pair("", ""), std::pair("a = load()", ""), std::pair("(redacted)", "a = load()")}) {
    const Comparison comparison =
        Compare(Of({{In("/node/container_1/job.py", 5001, before), In("/node/container_2/job.py", 4000, before)}}),
                Of({{In("/node/container_3/job.py", 7005, after), In("/node/container_4/job.py", 6000, after)}}));
    ASSERT_EQ(comparison.lines.size(), 1u) << before << after;
    EXPECT_EQ(comparison.lines[0].live_change(), 2004) << "the most that one task held";
    EXPECT_EQ(comparison.lines[0].allocated_change(), 7105 + 6100 - 5101 - 4100);
    EXPECT_EQ(comparison.lines[0].file, "/node/container_4/job.py") << "where it lies now";
  }
}

TEST(Comparison, FilesOfOneNameAreToldApartByTheFoldersThatStay) {
  const Comparison comparison = Compare(Of({{In("/run1/a/util.py", 5001), In("/run1/b/util.py", 400), In("/run1/c/util.py", 6000)}}),
                                        Of({{In("/run2/a/util.py", 5001), In("/run2/b/util.py", 11), In("/run2/c/util.py", 6000)}}));
  ASSERT_EQ(comparison.lines.size(), 1u);
  EXPECT_EQ(comparison.lines[0].live_change(), -389);
}

TEST(Comparison, AFileThatBothRunsHaveIsNoOther) {
  const Comparison kept =
      Compare(Of({{In("/jobs/job.py", 5001), In("/old/job.py", 11)}}), Of({{In("/jobs/job.py", 5002), In("/new/job.py", 900)}}));
  ASSERT_EQ(kept.lines.size(), 2u);
  EXPECT_EQ(kept.lines[0].live_change(), 889);
  EXPECT_EQ(kept.lines[1].live_change(), 1);
  const auto other = [](const std::string& file) { return In(file, 7, "b = 1"); };
  const Comparison listed = Compare(Of({{In("/a/util.py", 5001), other("/a/util.py"), other("/b/util.py")}}),
                                    Of({{other("/a/util.py"), other("/b/util.py"), In("/b/util.py", 5001)}}));
  EXPECT_EQ(listed.lines.size(), 2u) << "each file is there in both runs";
  const Comparison moved =
      Compare(Of({{other("/a/x/util.py"), In("/old/util.py", 5001)}}), Of({{other("/a/x/util.py"), In("/new/x/util.py", 6001)}}));
  ASSERT_EQ(moved.lines.size(), 1u);
  EXPECT_EQ(moved.lines[0].live_change(), 1000);
}

TEST(Comparison, ANameWithoutAFolderIsThatOfAFile) {
  const auto lines = [](const char* before, const char* after) {
    return Compare(Of({{In(before, 5001)}}), Of({{In(after, 6001)}})).lines.size();
  };
  EXPECT_EQ(lines("util.py", "/jobs/util.py"), 1u);
  EXPECT_EQ(lines("/jobs/util.py", "util.py"), 1u);
  EXPECT_EQ(lines("/a/parsing/__init__.py", "/b/writing/__init__.py"), 2u) << "each package has one";
  EXPECT_EQ(lines("/a/parsing/__init__.py", "/b/parsing/__init__.py"), 1u);
}

TEST(Comparison, ALineWithoutItsLikeIsNewOrGone) {
  EXPECT_EQ(Compare(Of({{In("/a/job.py", 5001), In("/b/job.py", 11)}}), Of({{}})).lines.size(), 2u);
  EXPECT_EQ(Compare(Of({{In("/a/job.py", 5001)}}), Of({{In("/b/myjob.py", 5001)}})).lines.size(), 2u) << "another name";
  EXPECT_EQ(Compare(Of({{In("/a/job.py", 5001)}}), Of({{In("<string>", 5001)}})).lines.size(), 2u);
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
