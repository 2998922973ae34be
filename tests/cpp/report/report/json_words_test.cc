#include "report/json_words.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/titles.h"

namespace memprof {
namespace {

using nlohmann::json;

constexpr uint64_t kMi = 1 << 20;

json Written(const Report& report) { return json::parse(WriteReportJson(report)); }

TEST(JsonWords, ConsumersGoByTheirClassInShort) {
  Report report;
  report.stages.emplace_back().memory.consumers = {
      {.name = "org.apache.spark.util.collection.Spillable$$anon$1", .peak_bytes = 3},
      {.name = "org.apache.spark.unsafe.map.BytesToBytesMap", .operation = "hash join", .peak_bytes = 2},
  };
  const json consumers = Written(report)["stages"][0]["sparkMemory"]["consumers"];
  EXPECT_EQ(consumers[0]["title"], "Spillable");
  EXPECT_EQ(consumers[1]["title"], "BytesToBytesMap");
}

TEST(JsonWords, WhatPysparkDoesByItselfIsItsOwn) {
  Report report;
  ReportStage& stage = report.stages.emplace_back();
  for (const char* outermost : {"/opt/spark/python/lib/pyspark.zip/pyspark/daemon.py", "/usr/lib/python3.11/threading.py"}) {
    ReportSite& site = stage.sites.emplace_back();
    site.origin = Origin::kPython;
    site.frames = {{Language::kPython, "f", outermost, "", 9, "", std::nullopt}};
    stage.lines.emplace_back().sites = {static_cast<uint32_t>(stage.lines.size())};
  }
  for (const char* rows : {"sites", "lines"}) {
    const json written = Written(report)["stages"][0][rows];
    EXPECT_EQ(written[0]["ofPySpark"], true) << rows;
    EXPECT_FALSE(written[1].contains("ofPySpark")) << rows;
  }
}

TEST(JsonWords, ALineThatGrowsSaysHow) {
  ReportLeak leak;
  leak.workers = 3;
  leak.live_bytes = 36 << 20;
  leak.largest = {.executor_id = "1",
                  .pid = 4711,
                  .tasks = 12,
                  .per_task_bytes = 1 << 20,
                  .per_task_low_bytes = 1 << 20,
                  .per_task_high_bytes = 2 << 20,
                  .live_bytes = 12 << 20};
  Report report;
  report.leaks = {leak};
  EXPECT_EQ(Written(report)["leaks"][0]["phrase"],
            "+ 1.0 MiB a task (95 %: 1.0 MiB to 2.0 MiB) over 12 tasks of pid 4711 on executor 1, which holds 12.0 MiB; 3 workers hold "
            "36.0 MiB by now");
}

TEST(JsonWords, AStackIsWhereSomethingDiedOrWasRefusedMemory) {
  Report report;
  report.post_mortems.resize(4);
  report.post_mortems[1].address_space.emplace();
  report.post_mortems[2].heap.emplace();
  report.post_mortems[3].address_space.emplace();  // it was refused memory, and crashed later
  report.post_mortems[3].exit_code = 139;
  const json deaths = Written(report)["postMortems"];
  EXPECT_EQ(deaths[0]["stackTitle"], "Died in") << "that no exit code is known says nothing of memory";
  EXPECT_EQ(deaths[1]["stackTitle"], "Memory was refused in");
  EXPECT_EQ(deaths[2]["stackTitle"], "Memory was refused in");
  EXPECT_EQ(deaths[3]["stackTitle"], "Died in");
}

TEST(JsonWords, AHeapThatWasLetGoBeforeItWasWalkedIsSaidToBe) {
  Report report;
  ReportHeapShortage& heap = report.post_mortems.emplace_back().heap.emplace();
  heap.total_bytes = 300 * kMi;
  heap.regions = {{"heap.max", 512 * kMi}, {"heap.usedAfterGc", 510 * kMi}};
  EXPECT_EQ(Written(report)["postMortems"][0]["heapNote"], "") << "some of it was garbage";
  EXPECT_EQ(HeapUsed(heap), 300 * kMi);
  heap.total_bytes = 60 * kMi;
  EXPECT_EQ(Written(report)["postMortems"][0]["heapNote"], "510.0 MiB were in use; most of it had been let go when the heap was walked");
  EXPECT_EQ(HeapUsed(heap), 510 * kMi);
  EXPECT_EQ(HeapMax(heap), 512 * kMi);
  heap.cut_short = true;
  EXPECT_EQ(Written(report)["postMortems"][0]["heapNote"], "") << "it wasn't walked to its end";
  heap.classes.push_back({"long[]", 50 * kMi, 3});
  heap.regions[1].bytes = 256 * kMi;
  EXPECT_EQ(Written(report)["postMortems"][0]["heapNote"], "") << "half of it was full";
  heap.regions[1].bytes = 60 * kMi;
  EXPECT_EQ(
      Written(report)["postMortems"][0]["heapNote"],
      "only 60.0 MiB of 512.0 MiB were in use then: what filled the heap had been let go, or more was asked for in one piece than there "
      "was room for");
  heap.error = "Requested array size exceeds VM limit";
  EXPECT_EQ(Written(report)["postMortems"][0]["heapNote"], "") << "no heap has room for it";
  report.post_mortems[0].heap.reset();
  EXPECT_EQ(Written(report)["postMortems"][0]["heapNote"], "");
}

TEST(JsonWords, HowBadADeathAndAnUnevenFigureAre) {
  Report report;
  report.post_mortems.resize(2);
  report.post_mortems[1].out_of_memory = true;
  report.stages.emplace_back().distributions.resize(3);
  report.stages[0].distributions[1].skew = 2.9;
  report.stages[0].distributions[2].skew = 3;
  const json written = Written(report);
  EXPECT_EQ(written["postMortems"][0]["tone"], "warn");
  EXPECT_EQ(written["postMortems"][1]["tone"], "bad");
  const json& distributions = written["stages"][0]["distributions"];
  EXPECT_EQ(distributions[0]["tone"], "plain") << "not known";
  EXPECT_EQ(distributions[1]["tone"], "plain");
  EXPECT_EQ(distributions[2]["tone"], "warn");
}

TEST(JsonWords, CountersOfThreadsStandApartFromBounds) {
  Report report;
  report.counters = {{"droppedSites", 0},          {"droppedLive", 3},          {"noTaskHeapBytes: a", 5},  {"noTaskHeapBytes: b", 9},
                     {"noTaskOffHeapBytes: a", 4}, {"noTaskNativeBytes: c", 7}, {"noTaskPythonBytes: d", 6}};
  const json groups = Written(report)["counterGroups"];
  EXPECT_EQ(groups["bounds"], json::parse(R"([{"name": "droppedLive", "value": 3}])"));
  EXPECT_EQ(groups["outsideTasks"], json::parse(R"([{"thread": "b", "bytes": 9}, {"thread": "a", "bytes": 5}])"));
  EXPECT_EQ(groups["outsideTasksOffHeap"], json::parse(R"([{"thread": "a", "bytes": 4}])"));
  EXPECT_EQ(groups["outsideTasksNative"], json::parse(R"([{"thread": "c", "bytes": 7}])"));
  EXPECT_EQ(groups["outsideTasksPython"], json::parse(R"([{"thread": "d", "bytes": 6}])"));
}

TEST(JsonWords, AreNotReadBack) {
  Report report;
  report.counters = {{"droppedLive", 3}};
  const std::string text = WriteReportJson(report);
  const Result<Report> read = ReadReportJson(text);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(WriteReportJson(*read), text);
  EXPECT_FALSE(json::parse(WriteReportJson(report, Words::kNone)).contains("counterGroups"));
}

}  // namespace
}  // namespace memprof
