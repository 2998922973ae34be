#include "facts/cached_data.h"

#include <gtest/gtest.h>

#include <memory_resource>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/json.h"
#include "report/views/views.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

using Json = nlohmann::json;

constexpr StorageLevel kMemoryOnly{false, true, false, true, 1};
constexpr StorageLevel kDisk{true, false, false, false, 1};

Json ReportOf(const ProfileStore& store) { return Json::parse(store.ReportJson(false)); }

TEST(CachedData, TheLastWordOnEachBlockAndThePeak) {
  ProfileStore store;
  store.CachedRdd(5, "In-memory table orders", "cache at job.py:7", {true, true, false, true, 2}, 3);
  store.BlockUpdated({false, 5, 0}, "1", 1'000'003, 0);
  store.BlockUpdated({false, 5, 0}, "1", 1'000'003, 0);  // told twice
  store.BlockUpdated({false, 5, 1}, "1", 2'000'003, 0);
  store.BlockUpdated({false, 5, 1}, "2", 2'000'003, 0);
  store.BlockUpdated({false, 5, 0}, "1", 0, 900'001);  // to disk
  store.BlockUpdated({false, 6, 0}, "2", 77, 0);       // nobody has named it
  const Json rows = ReportOf(store)["cachedData"];
  ASSERT_EQ(rows.size(), 2u);
  const Json& orders = rows[0];
  EXPECT_EQ(orders["name"], "orders");
  EXPECT_EQ(orders["callSite"], "cache at job.py:7");
  EXPECT_EQ(orders["storageLevel"], "MEMORY_AND_DISK_2");
  EXPECT_EQ(orders["partitions"], 3);
  EXPECT_EQ(orders["peakMemoryBytes"], 5'000'009);
  EXPECT_EQ(orders["peakDiskBytes"], 0);
  EXPECT_EQ(orders["peakBlocks"], 3);
  EXPECT_EQ(orders["memoryBytes"], 4'000'006);
  EXPECT_EQ(orders["diskBytes"], 900'001);
  EXPECT_EQ(orders["executors"][0], (Json{{"id", "1"}, {"memoryBytes", 2'000'003}, {"diskBytes", 900'001}}));
  EXPECT_EQ(rows[1]["name"], nullptr);
  EXPECT_EQ(rows[1]["storageLevel"], nullptr);
}

TEST(CachedData, CopiesAreNoFurtherPartitions) {
  ProfileStore store;
  store.CachedRdd(5, "In-memory table orders", "cache at job.py:7", {false, true, false, true, 2}, 3);
  for (const char* executor : {"1", "2"}) {
    for (const int part : {0, 1}) store.BlockUpdated({false, 5, part}, executor, 1'000'003, 0);
  }
  const auto row = [&] { return ReportOf(store)["cachedData"][0]; };
  EXPECT_EQ(row()["peakBlocks"], 4);
  EXPECT_EQ(row()["peakPartitions"], 2);
  EXPECT_NE(RenderText(store.ReportJson(false), {200})->find("3.8 MiB in memory, 2 of 3 partitions in 4 blocks"), std::string::npos);
  store.BlockUpdated({false, 5, 0}, "1", 0, 0);  // its copy is left
  store.BlockUpdated({false, 5, 1}, "1", 0, 0);
  store.BlockUpdated({false, 5, 1}, "2", 0, 0);  // none is left
  store.BlockUpdated({false, 5, 2}, "2", 9'000'017, 0);
  EXPECT_EQ(row()["peakBlocks"], 2);
  EXPECT_EQ(row()["peakPartitions"], 2);
  EXPECT_NE(RenderText(store.ReportJson(false), {200})->find(", 2 blocks of 3 partitions"), std::string::npos);
}

TEST(CachedData, IsObjectsOrWrittenByASerializer) {
  ProfileStore store;
  store.CachedRdd(5, "objects", "", kMemoryOnly, 1);
  store.CachedRdd(6, "bytes", "", {false, true, false, false, 1}, 1);
  for (const int rdd : {5, 6, 7}) store.BlockUpdated({false, rdd, 0}, "1", 1'000'003u - static_cast<unsigned>(rdd), 0);
  const auto serializers = [&] {
    std::vector<Json> all;
    const Json report = ReportOf(store);
    for (const Json& row : report["cachedData"]) all.push_back(row["serializer"]);
    return all;
  };
  EXPECT_EQ(serializers(), (std::vector<Json>{nullptr, nullptr, nullptr})) << "Spark takes Kryo for some elements all the same";
  store.Configuration({{"spark.serializer", "org.apache.spark.serializer.KryoSerializer"}});
  EXPECT_EQ(serializers()[1], "org.apache.spark.serializer.KryoSerializer");
  const Result<std::string> text = RenderText(store.ReportJson(false), {200});
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("objects  MEMORY_ONLY, deserialized"), std::string::npos);
  EXPECT_NE(text->find("bytes  MEMORY_ONLY_SER, serialized by KryoSerializer"), std::string::npos);
}

TEST(CachedData, WhatIsGoneIsGoneAndWasThere) {
  ProfileStore store;
  for (int rdd : {3, 4}) {
    store.CachedRdd(rdd, "r", "", kMemoryOnly, 2);
    store.BlockUpdated({false, rdd, 0}, "1", 1'000'003, 0);
    store.BlockUpdated({false, rdd, 1}, "2", 2'000'003, 0);
  }
  store.RddUnpersisted(3);
  store.ExecutorRemoved("2", "gone", 5);
  const Json report = ReportOf(store);
  for (const Json& row : report["cachedData"]) {
    EXPECT_EQ(row["peakMemoryBytes"], 3'000'006);
    EXPECT_EQ(row["memoryBytes"], row["rddId"] == 3 ? 0 : 1'000'003);
    EXPECT_EQ(row["blocks"], row["rddId"] == 3 ? 0 : 1);
  }
}

TEST(CachedData, BroadcastVariablesByTheirPieces) {
  ProfileStore store;
  for (const char* executor : {"driver", "1"}) {
    store.BlockUpdated({true, 9, 0}, executor, 4'194'304, 0);
    store.BlockUpdated({true, 9, 1}, executor, 1'105'717, 0);
  }
  store.BlockUpdated({true, 10, 0}, "driver", 4'321, 0);
  store.BlockUpdated({true, 9, 1}, "1", 0, 0);
  const Json rows = ReportOf(store)["broadcasts"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["id"], 9);
  EXPECT_EQ(rows[0]["bytes"], 5'300'021);
  EXPECT_EQ(rows[0]["peakMemoryBytes"], 10'600'042);
  EXPECT_EQ(rows[0]["memoryBytes"], 10'600'042 - 1'105'717);
  EXPECT_EQ(ReportOf(store)["cachedData"].size(), 0u);
}

TEST(CachedData, BoundedAndItSaysSo) {
  ProfileStore store(64 << 20);
  const auto most = static_cast<int>(CachedData::kMostBlocks);
  for (int part = 0; part < most + 7; ++part) store.BlockUpdated({false, 1, part}, "1", 11, 0);
  store.BlockUpdated({false, 1, most + 1}, "1", 0, 0);  // of one that is not known
  const Json report = ReportOf(store);
  EXPECT_EQ(report["cachedData"][0]["memoryBytes"], 11 * most);
  EXPECT_EQ(report["counters"]["droppedBlocks"], 7);
  EXPECT_NE(report["notAvailable"].dump().find("cachedData of some blocks"), std::string::npos);
}

// As with dynamic allocation in an application that runs for weeks.
TEST(CachedData, ExecutorsThatAreGoneTakeNoPlace) {
  CachedData cached(std::pmr::get_default_resource());
  for (size_t i = 0; i <= CachedData::kMostExecutors; ++i) {
    const std::string executor = std::to_string(i);
    cached.Update({false, 5, 0}, executor, 1'000, 0);
    cached.ExecutorRemoved(executor);
    cached.Update({false, 5, 0}, executor, 0, 0);  // too late, and of nothing
  }
  EXPECT_EQ(cached.dropped_blocks(), 0u);
  cached.Update({false, 5, 1}, "last", 2'000'003, 0);
  const std::vector<ReportCachedData> rows = cached.Rows(10);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].memory_bytes, 2'000'003u);
  ASSERT_EQ(rows[0].executors.size(), 1u);
  EXPECT_EQ(rows[0].executors[0].executor_id, "last");
  EXPECT_EQ(cached.LargestIn("last", false).bytes, 2'000'003u);
}

TEST(CachedData, BroadcastPiecesTakeNoPlaceOfDatas) {
  ProfileStore store(64 << 20);
  const auto most = static_cast<int>(CachedData::kMostBlocks);
  for (int piece = 0; piece < most + 3; ++piece) store.BlockUpdated({true, 1, piece}, "1", 11, 0);
  store.BlockUpdated({false, 1, 0}, "1", 1'000'003, 0);
  const Json report = ReportOf(store);
  EXPECT_EQ(report["cachedData"][0]["memoryBytes"], 1'000'003);
  EXPECT_EQ(report["counters"]["droppedBlocks"], 3);
}

TEST(CachedData, WhatIsNewTakesThePlaceOfTheLightestThatIsGone) {
  ProfileStore store(64 << 20);
  const auto most = static_cast<int>(CachedData::kMostDatasets);
  for (int rdd = 0; rdd < most; ++rdd) store.BlockUpdated({false, rdd, 0}, "1", static_cast<uint64_t>(1'000 + rdd), 0);
  store.BlockUpdated({false, most, 0}, "1", 77'777'777, 0);
  EXPECT_EQ(ReportOf(store)["cachedData"][0]["rddId"], most - 1) << "all the others still lie there";
  for (int rdd = 5; rdd < 9; ++rdd) store.RddUnpersisted(rdd);
  store.BlockUpdated({false, most, 0}, "1", 77'777'777, 0);
  Json report = ReportOf(store);
  EXPECT_EQ(report["cachedData"][0]["rddId"], most);
  EXPECT_EQ(report["counters"]["droppedCachedData"], 1);
  // A job of very many stages, each of which broadcasts its tasks.
  for (int variable = 0; variable < 3 * static_cast<int>(CachedData::kMostBroadcasts); ++variable) {
    store.BlockUpdated({true, variable, 0}, "1", 1009, 0);
    store.BlockUpdated({true, variable, 0}, "1", 0, 0);
  }
  store.BlockUpdated({true, 999'999, 0}, "1", 33'333'333, 0);
  report = ReportOf(store);
  EXPECT_EQ(report["broadcasts"][0]["bytes"], 33'333'333);
  EXPECT_EQ(report["counters"]["droppedBlocks"], 1);
}

TEST(CachedData, AFullStoreLetsTheLightestGo) {
  ProfileStore store(300 << 10);
  for (int rdd = 0; rdd < 300; ++rdd) {
    store.CachedRdd(rdd, std::string(150, 'n'), std::string(150, 'c'), kDisk, 9);
    for (int part = 0; part < 9; ++part) store.BlockUpdated({false, rdd, part}, "1", static_cast<uint64_t>(1 + rdd), 0);
  }
  const Json report = ReportOf(store);
  EXPECT_GT(report["counters"]["droppedCachedData"], 0);
  EXPECT_GE(report["cachedData"].size(), 8u);
  EXPECT_EQ(report["cachedData"][0]["rddId"], 299);
}

TEST(CachedData, IsReadBackFromAReport) {
  ProfileStore store;
  store.CachedRdd(5, "*(1) Range (0, 9)\n+- more", "", {true, true, true, false, 1}, 3);
  store.BlockUpdated({false, 5, 0}, "1", 1'000'003, 5);
  store.BlockUpdated({true, 9, 0}, "driver", 4'321, 0);
  const std::string text = store.ReportJson(false);
  const Result<Report> report = ReadReportJson(text);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(WriteReportJson(*report), text);
  EXPECT_EQ(report->cached_data[0].name, "*(1) Range (0, 9)");
  EXPECT_TRUE(report->cached_data[0].off_heap);
  const Result<std::string> shown = RenderText(text, {});
  ASSERT_TRUE(shown.ok());
  EXPECT_NE(shown->find("OFF_HEAP"), std::string::npos);
  EXPECT_NE(shown->find("976.6 KiB in memory, 5 B on disk, 1 block of 3 partitions"), std::string::npos) << *shown;
}

TEST(CachedData, LevelsAsSparkNamesThem) {
  EXPECT_EQ(StorageLevelName(kMemoryOnly), "MEMORY_ONLY");
  EXPECT_EQ(StorageLevelName(kDisk), "DISK_ONLY");
  EXPECT_EQ(StorageLevelName({true, true, false, false, 2}), "MEMORY_AND_DISK_SER_2");
}

}  // namespace
}  // namespace memprof
