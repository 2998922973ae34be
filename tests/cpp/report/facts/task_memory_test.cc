#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "proto/envelope.h"
#include "report/json.h"
#include "report/profile_builder.h"
#include "report/views/views.h"
#include "store/profile_store.h"

namespace memprof {
namespace {

using testing::Java;
using testing::ProfileBuilder;
using Json = nlohmann::json;

constexpr int kStage = 7;
const std::string kSorter = "org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter";
const std::string kMap = "org.apache.spark.unsafe.map.BytesToBytesMap";

void AddConsumer(const std::string& name, bool off_heap, uint64_t peak, ProfileBuilder& task) {
  proto::MemoryConsumer& consumer = *task.profile().mutable_spark_memory()->add_consumers();
  consumer.set_name(name);
  consumer.set_off_heap(off_heap);
  consumer.set_peak_bytes(peak);
}

void SetSpills(uint64_t memory, uint64_t disk, uint64_t peak, ProfileBuilder& task) {
  proto::TaskMemory& spark = *task.profile().mutable_spark_memory();
  spark.set_spilled_memory_bytes(memory);
  spark.set_spilled_disk_bytes(disk);
  spark.set_peak_execution_bytes(peak);
}

void AddFullest(bool off_heap, uint64_t storage, uint64_t execution, ProfileBuilder& task) {
  proto::PoolUse& pool = *task.profile().mutable_spark_memory()->add_fullest();
  pool.set_off_heap(off_heap);
  pool.set_max_bytes(90'000'001);
  pool.set_storage_region_bytes(45'000'001);
  pool.set_storage_bytes(storage);
  pool.set_execution_bytes(execution);
}

void Ingest(ProfileStore& store, const std::string& bytes) {
  const Status status = store.Ingest(bytes);
  ASSERT_TRUE(status.ok()) << status.message();
}

// Tasks 1 and 2 count; 3 has failed.
void Fill(ProfileStore& store) {
  ProfileBuilder first(1, kStage, 0), second(2, kStage, 1), failed(3, kStage, 2);
  AddConsumer(kSorter, false, 3'000'017, first);
  AddConsumer(kMap, true, 1'000'003, first);
  SetSpills(7'000'001, 2'000'003, 3'100'007, first);
  AddFullest(false, 30'000'001, 20'000'003, first);
  AddConsumer(kSorter, false, 4'000'037, second);
  SetSpills(0, 0, 4'200'013, second);
  AddFullest(false, 10'000'001, 30'000'003, second);
  AddConsumer(kSorter, false, 99'000'001, failed);
  SetSpills(99, 99, 99'000'099, failed);
  for (const ProfileBuilder& task : {first, second, failed}) Ingest(store, task.Bytes());
  store.StageSubmitted(kStage, 0, "sort", "", 3, 1);
  for (int64_t id : {1, 2}) store.TaskEnded({id, kStage, 0, static_cast<int>(id) - 1, 0, "1", TaskOutcome::kSucceeded, "", 100});
  store.TaskEnded({3, kStage, 0, 2, 0, "1", TaskOutcome::kFailed, "lost", 100});
}

Json MemoryOf(const ProfileStore& store) {
  const Json report = Json::parse(store.ReportJson(false));
  for (const Json& stage : report["stages"]) {
    if (stage["stageId"] == kStage) return stage["sparkMemory"];
  }
  return nullptr;
}

TEST(TaskMemory, TheCountedTasksOfAStageTogether) {
  ProfileStore store(64 << 20);
  Fill(store);
  const Json memory = MemoryOf(store);
  const Json sorter = memory["consumers"][0], map = memory["consumers"][1];
  ASSERT_EQ(memory["consumers"].size(), 2u);
  EXPECT_EQ(sorter["name"], kSorter);
  EXPECT_EQ(sorter["mode"], "onHeap");
  EXPECT_EQ(sorter["tasks"], 2);
  EXPECT_EQ(sorter["peakBytes"], 4'000'037) << "of one task; the failed one doesn't count";
  EXPECT_EQ(map["mode"], "offHeap");
  EXPECT_EQ(map["operation"], "hash aggregate or hash join");
  EXPECT_EQ(memory["spilledMemoryBytes"], 7'000'001);
  EXPECT_EQ(memory["spilledDiskBytes"], 2'000'003);
  EXPECT_EQ(memory["tasksSpilled"], 1);
  EXPECT_EQ(memory["peakExecutionBytes"], 4'200'013);
  ASSERT_EQ(memory["fullest"].size(), 1u);
  EXPECT_EQ(memory["fullest"][0]["storageBytes"], 30'000'001);
  EXPECT_EQ(memory["fullest"][0]["executionBytes"], 20'000'003);
}

// A store that is full folds tasks, and forgets none of these figures by it.
TEST(TaskMemory, FoldedTasksKeepTheirFigures) {
  ProfileStore roomy(64 << 20), tight(400 << 10);
  for (ProfileStore* store : {&roomy, &tight}) {
    Fill(*store);
    store->StageCompleted(kStage, 0, "", 200);
    for (int64_t id = 1000; id < 1400; ++id) {
      ProfileBuilder task(id, 9, static_cast<int>(id));
      for (int site = 0; site < 20; ++site) {
        task.Site(proto::ORIGIN_JVM_HEAP, {Java("", "f" + std::to_string(id) + "_" + std::to_string(site), "F.java", 1)}, 1000, 1);
      }
      AddConsumer(kSorter, false, static_cast<uint64_t>(id), task);
      Ingest(*store, task.Bytes());
      store->TaskEnded({id, 9, 0, static_cast<int>(id), 0, "1", TaskOutcome::kSucceeded, "", 100});
    }
  }
  EXPECT_EQ(MemoryOf(tight), MemoryOf(roomy));
  EXPECT_GT(Json::parse(tight.ReportJson(false))["counters"]["droppedSites"], 0) << "it was full";
}

TEST(TaskMemory, IsReadBackFromAReport) {
  ProfileStore store(64 << 20);
  Fill(store);
  proto::Envelope envelope = EnvelopeOf("1");
  proto::SparkPool& pool = *envelope.mutable_executor()->add_spark_pools();
  pool.mutable_last()->set_max_bytes(90'000'001);
  pool.mutable_last()->set_storage_region_bytes(45'000'001);
  pool.mutable_last()->set_storage_bytes(5);
  pool.set_last_ms(1234);
  pool.set_storage_peak_bytes(50'000'017);
  pool.set_execution_peak_bytes(46'000'003);
  Ingest(store, envelope.SerializeAsString());
  const std::string text = store.ReportJson(false);
  const Json row = Json::parse(text)["executors"][0]["sparkMemory"][0];
  EXPECT_EQ(row["storageBorrowedPeakBytes"], 5'000'016);
  EXPECT_EQ(row["executionBorrowedPeakBytes"], 1'000'003);
  EXPECT_EQ(row["unevictablePeakBytes"], 45'000'001);
  const Result<Report> report = ReadReportJson(text);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(WriteReportJson(*report), text);
  const Result<std::string> shown = RenderText(text, {});
  ASSERT_TRUE(shown.ok());
  EXPECT_NE(shown->find("UnsafeExternalSorter"), std::string::npos);
  EXPECT_NE(shown->find("Spilled in 1 task"), std::string::npos);
  EXPECT_NE(shown->find("storage 47.7 MiB at its peak (42.9 MiB unevictable)"), std::string::npos) << *shown;
}

TEST(TaskMemory, FiguresNoMachineReachesAreRefused) {
  ProfileStore store(1 << 20);
  ProfileBuilder task(1, kStage, 0);
  SetSpills(UINT64_MAX, 0, 0, task);
  EXPECT_FALSE(store.Ingest(task.Bytes()).ok());
  ProfileBuilder long_name(1, kStage, 0);
  AddConsumer(std::string(300, 'x'), false, 1, long_name);
  EXPECT_FALSE(store.Ingest(long_name.Bytes()).ok());
  ProfileBuilder many(1, kStage, 0);
  for (int i = 0; i < 65; ++i) AddConsumer("x", false, 1, many);
  EXPECT_FALSE(store.Ingest(many.Bytes()).ok());
}

}  // namespace
}  // namespace memprof
