#include "report/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memprof {
namespace {

using ::testing::ElementsAre;

ReportFrame Python(const char* function, const char* file, uint32_t line) {
  return {Language::kPython, function, file, "", line, "", std::nullopt};
}
ReportFrame Native(const char* function, const char* module) { return {Language::kNative, function, "", module, 0, "", std::nullopt}; }

ReportSite Site(std::vector<ReportFrame> frames) {
  ReportSite site;
  site.origin = Origin::kPython;
  site.frames = std::move(frames);
  return site;
}

ReportLine Line(const char* file, uint32_t number, uint64_t live, std::optional<ReportUdf> udf = std::nullopt) {
  ReportLine line;
  line.function = "f";
  line.file = file;
  line.line = number;
  line.live_at_peak_bytes = live;
  line.allocated_bytes = live;
  line.udf = std::move(udf);
  return line;
}

TEST(Digest, AFolderOfTheUsersMayBeCalledPyspark) {
  const std::vector<ReportFrame> frames = {Python("main", "pyspark.zip/pyspark/worker.py", 1200), Python("fill", "/jobs/pyspark/job.py", 8),
                                           Python("ones", "/venv/lib/python3.11/site-packages/numpy/core/numeric.py", 191),
                                           Native("alloc", "umath.so")};
  EXPECT_EQ(LeadLineOf(frames)->line, 8u);
  EXPECT_EQ(LeadLineOf({frames[0], frames[2]})->line, 191u) << "the innermost, where nothing is the user's";
}

TEST(Digest, WhatGeneratedCodeAllocatesIsOfTheLineThatCallsIt) {
  const std::vector<ReportFrame> frames = {Python("main", "pyspark.zip/pyspark/worker.py", 1200), Python("fill", "/jobs/job.py", 8),
                                           Python("<lambda>", "<string>", 1)};
  EXPECT_EQ(LeadLineOf(frames)->line, 8u);
  EXPECT_EQ(LeadLineOf({frames[0], frames[2]})->line, 1u) << "a program that is generated as a whole";
}

TEST(Digest, LinesOfOneUdfStandTogether) {
  ReportSiteGroup group;
  ReportUdf a{"a", "", "", 1}, b{"b", "", "", 2};
  group.lines = {Line("x", 1, 900, a), Line("x", 2, 800, b), Line("x", 3, 700, a), Line("x", 4, 600)};
  std::vector<uint32_t> order;
  for (const ReportLine* line : DigestOf(group).lines) order.push_back(line->line);
  EXPECT_THAT(order, ElementsAre(1, 3, 2, 4));
}

TEST(Digest, WhatPysparkDoesByItself) {
  ReportSiteGroup group;
  const ReportFrame worker = Python("main", "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", 1200);
  group.sites = {Site({worker, Python("invalidate_caches", "/usr/lib/python3.11/importlib/__init__.py", 70)}),
                 Site({Python("_bootstrap", "/usr/lib/python3.11/threading.py", 995), Python("poll", "/job.py", 7)}), Site({worker})};
  group.sites[2].udf = ReportUdf{"f", "", "/job.py", 3};
  EXPECT_TRUE(IsPySparks(group.sites[0]));
  EXPECT_FALSE(IsPySparks(group.sites[1])) << "a thread of the user's that no UDF has started";
  EXPECT_FALSE(IsPySparks(group.sites[2]));
  const ReportFrame pandas = Python("<module>", "/venv/lib/python3.11/site-packages/pandas/__init__.py", 49),
                    dateutil = Python("<module>", "/venv/lib/python3.11/site-packages/dateutil/__init__.py", 6),
                    torch = Python("<module>", "/venv/lib/python3.11/site-packages/torch/__init__.py", 9);
  EXPECT_TRUE(IsPySparks(Site({worker, pandas, dateutil})));
  EXPECT_FALSE(IsPySparks(Site({worker, torch}))) << "imported for the user's function";
  EXPECT_FALSE(IsPySparks(Site({worker, Python("<module>", "/jobs/mod.py", 3), pandas})));
  EXPECT_FALSE(IsPySparks(Site(
      {worker, Python("apply", "/venv/lib/python3.11/site-packages/pandas/core/frame.py", 49), Python("<lambda>", "/jobs/mod.py", 3)})))
      << "a function of the user's that nobody knows";
  const ReportFrame in_pex = Python("main", "/pex/installed_wheels/5a/pyspark-4.0.0-py2.py3-none-any.whl/pyspark/worker.py", 1200);
  EXPECT_TRUE(IsPySparks(Site({in_pex, Python("dump_stream", "/pex/installed_wheels/5a/pyspark-4.0.0.whl/pyspark/serializers.py", 130)})));
  EXPECT_FALSE(IsPySparks(Site({in_pex, Python("run", "/pex/installed_wheels/6b/pysparkling-0.6.whl/pysparkling/rdd.py", 3)})));
  ReportLine line;
  EXPECT_FALSE(IsPySparks(line, group)) << "none of its sites has a row";
  line.sites = {0};
  EXPECT_TRUE(IsPySparks(line, group));
  line.sites = {0, 1};
  EXPECT_FALSE(IsPySparks(line, group));
  EXPECT_EQ(UdfHeading(std::nullopt, true), "PySpark");
  EXPECT_EQ(UdfHeading(std::nullopt), "outside any UDF");
}

TEST(Digest, PathsLeaveOutPlumbingAndTheMiddle) {
  ReportSiteGroup group;
  ReportFrame line = Python("f", "/job.py", 8);
  group.sites = {
      Site({line, Native("ffi_call", "/lib/libffi.so.8"), Native("weighted_average", "/jobs/libavg.so")}),
      Site({line, Python("ones", "/n.py", 2), Native("a", "/n.so"), Native("b", "/n.so"), Native("c", "/n.so"), Native("malloc", "/n.so")}),
      Site({line, Python("_load", "<frozen importlib._bootstrap>", 1), Python("<module>", "/x/site-packages/pkg/__init__.py", 3)}),
      Site({line}),
      Site({line, Native("weighted_average", "/jobs/libavg.so")}),
  };
  ReportLine charged = Line("/job.py", 8, 0);
  charged.sites = {0, 1, 2, 3, 4};
  std::vector<std::string> texts;
  for (const AllocationPath& path : PathsOf(charged, group)) texts.push_back(path.text);
  EXPECT_THAT(texts, ElementsAre("weighted_average", "ones › a › … › malloc", "pkg/__init__.py:3", ""));
  EXPECT_TRUE(PathsOf(charged, group)[0].native);
  EXPECT_EQ(PathsOf(charged, group)[0].place, "libavg.so");
}

TEST(Digest, TriflePathsAreLeftOut) {
  ReportSiteGroup group;
  ReportFrame line = Python("f", "/job.py", 8);
  for (uint64_t live : {700, 200, 99}) {
    group.sites.push_back(Site({line, Native(live == 700 ? "a" : live == 200 ? "b" : "c", "/x.so")}));
    group.sites.back().live_at_peak_bytes = live;
  }
  ReportLine charged = Line("/job.py", 8, 1000);
  charged.sites = {0, 1, 2};
  EXPECT_EQ(PathsOf(charged, group).size(), 2u);
}

TEST(Digest, TrifleLinesAreNotWorthARow) {
  std::vector<ReportLine> lines;
  for (uint32_t i = 1; i <= 30; ++i) lines.push_back(Line("x", i, i <= 5 ? 1'000'000 : 10));
  std::vector<const ReportLine*> pointers;
  for (const ReportLine& line : lines) pointers.push_back(&line);
  EXPECT_EQ(LinesWorthShowing(pointers, 0, 30, 12), 5u);
  EXPECT_EQ(LinesWorthShowing(pointers, 0, 30, 4), 4u);
  EXPECT_EQ(LinesWorthShowing(pointers, 10, 30, 12), 3u) << "a few are always shown";
}

TEST(Digest, CountersOfThreadsAreNotBounds) {
  CounterGroups groups = GroupsOf(
      {{"droppedSites", 0}, {"droppedLive", 3}, {"noTaskHeapBytes: a", 5}, {"noTaskHeapBytes: b", 9}, {"noTaskOffHeapBytes: a", 4}});
  EXPECT_THAT(groups.bounds, ElementsAre(std::pair<std::string, uint64_t>("droppedLive", 3)));
  ASSERT_EQ(groups.outside_tasks.size(), 2u);
  EXPECT_EQ(groups.outside_tasks[0].first, "b");
  EXPECT_THAT(groups.outside_tasks_off_heap, ElementsAre(std::pair<std::string, uint64_t>("a", 4)));
}

TEST(Digest, SitesBeyondTheTableDoNotMatter) {
  ReportSiteGroup group;
  ReportLine line = Line("/job.py", 8, 1);
  EXPECT_TRUE(PathsOf(line, group).empty());
}

}  // namespace
}  // namespace memprof
