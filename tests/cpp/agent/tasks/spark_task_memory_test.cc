#include "tasks/spark_task_memory.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

constexpr size_t kEnough = 4096;

proto::TaskProfile ProfileOf(const SparkTaskMemory& memory, size_t max_bytes = kEnough) {
  proto::TaskProfile profile;
  memory.AddTo(max_bytes, &profile);
  return profile;
}

proto::PoolUse Pool(bool off_heap, uint64_t storage, uint64_t execution) {
  proto::PoolUse pool;
  pool.set_off_heap(off_heap);
  pool.set_max_bytes(90'000'001);
  pool.set_storage_bytes(storage);
  pool.set_execution_bytes(execution);
  return pool;
}

TEST(SparkTaskMemory, ConsumersOfOneClassAreOneAndTheLargestMomentIsKept) {
  SparkTaskMemory memory;
  memory.Sample({{"Sorter", false, 3'000'017}, {"Map", false, 4'000'037}, {"Sorter", false, 2'000'003}, {"Map", true, 111}});
  memory.Sample({{"Sorter", false, 4'999'999}, {"Map", false, 4'000'038}});
  const proto::TaskMemory sent = ProfileOf(memory).spark_memory();
  ASSERT_EQ(sent.consumers_size(), 3);
  EXPECT_EQ(sent.consumers(0).name(), "Sorter");
  EXPECT_EQ(sent.consumers(0).peak_bytes(), 5'000'020u) << "both sorters at one moment, not each at its own";
  EXPECT_EQ(sent.consumers(1).peak_bytes(), 4'000'038u);
  EXPECT_FALSE(sent.consumers(1).off_heap());
  EXPECT_EQ(sent.consumers(2).peak_bytes(), 111u);
  EXPECT_TRUE(sent.consumers(2).off_heap());
}

TEST(SparkTaskMemory, NothingMeasuredIsNothingSent) {
  EXPECT_FALSE(ProfileOf(SparkTaskMemory()).has_spark_memory());
  SparkTaskMemory memory;
  memory.SetMetrics({0, 0, 0});
  EXPECT_TRUE(ProfileOf(memory).spark_memory().has_spilled_disk_bytes()) << "a measured 0 is a figure";
}

TEST(SparkTaskMemory, TheFullestMomentOfEachMode) {
  SparkTaskMemory memory;
  for (const auto& [storage, execution] : {std::pair(10u, 20u), std::pair(25u, 17u), std::pair(40u, 1u)})
    memory.NotePool(Pool(false, storage, execution));
  memory.NotePool(Pool(true, 7, 0));
  const proto::TaskMemory sent = ProfileOf(memory).spark_memory();
  ASSERT_EQ(sent.fullest_size(), 2);
  EXPECT_EQ(sent.fullest(0).storage_bytes(), 25u);
  EXPECT_EQ(sent.fullest(0).execution_bytes(), 17u);
  EXPECT_EQ(sent.fullest(1).storage_bytes(), 7u);
}

TEST(SparkTaskMemory, BoundedAndItSaysSo) {
  SparkTaskMemory memory;
  for (size_t i = 0; i < SparkTaskMemory::kMostConsumers + 3; ++i) memory.Sample({{"Class" + std::to_string(i), false, 1000 + i}});
  const proto::TaskProfile all = ProfileOf(memory, 1 << 20);
  EXPECT_EQ(all.spark_memory().consumers_size(), static_cast<int>(SparkTaskMemory::kMostConsumers));
  ASSERT_EQ(all.counters_size(), 1);
  EXPECT_EQ(all.counters(0).name(), "droppedMemoryConsumers");
  EXPECT_EQ(all.counters(0).value(), 3u);
  const proto::TaskProfile cut = ProfileOf(memory, 100);
  EXPECT_LE(cut.spark_memory().ByteSizeLong(), 100u);
  EXPECT_EQ(cut.spark_memory().consumers(0).peak_bytes(), 1000 + SparkTaskMemory::kMostConsumers - 1) << "the largest stays";
  EXPECT_EQ(cut.counters(0).value() + static_cast<uint64_t>(cut.spark_memory().consumers_size()), SparkTaskMemory::kMostConsumers + 3);
}

}  // namespace
}  // namespace memprof
