#include "watch/spark_pools.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

proto::PoolUse Use(bool off_heap, uint64_t storage, uint64_t execution) {
  proto::PoolUse use;
  use.set_off_heap(off_heap);
  use.set_storage_bytes(storage);
  use.set_execution_bytes(execution);
  return use;
}

TEST(SparkPools, EachPeakByItselfAndTheLastLook) {
  SparkPools pools;
  pools.Add(Use(false, 3'000'017, 11), {100, 7});
  pools.Add(Use(true, 19, 23), {100, 7});
  pools.Add(Use(false, 13, 4'000'037), {200, 7});
  pools.Add(Use(false, 14, 12), {300, 7});
  proto::ExecutorSnapshot snapshot;
  pools.AddTo(&snapshot);
  ASSERT_EQ(snapshot.spark_pools_size(), 2);
  EXPECT_EQ(snapshot.spark_pools(0).storage_peak_bytes(), 3'000'017u);
  EXPECT_EQ(snapshot.spark_pools(0).execution_peak_bytes(), 4'000'037u);
  EXPECT_EQ(snapshot.spark_pools(0).last().storage_bytes(), 14u);
  EXPECT_EQ(snapshot.spark_pools(0).last_ms(), 300);
  EXPECT_EQ(snapshot.spark_pools(0).last_clock_ms(), 7);
  EXPECT_EQ(snapshot.spark_pools(0).used_peak_bytes(), 4'000'050u) << "not the sum of peaks of different moments";
  EXPECT_EQ(snapshot.spark_pools(1).execution_peak_bytes(), 23u);
}

}  // namespace
}  // namespace memprof
