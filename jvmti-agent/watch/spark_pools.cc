#include "watch/spark_pools.h"

#include <algorithm>

namespace memprof {

void SparkPools::Add(const proto::PoolUse& use, const Instant& now) {
  proto::SparkPool& pool = pools_[use.off_heap()];
  *pool.mutable_last() = use;
  pool.set_last_ms(now.time_ms);
  pool.set_last_clock_ms(now.clock_ms);
  pool.set_storage_peak_bytes(std::max(pool.storage_peak_bytes(), use.storage_bytes()));
  pool.set_execution_peak_bytes(std::max(pool.execution_peak_bytes(), use.execution_bytes()));
  pool.set_used_peak_bytes(std::max(pool.used_peak_bytes(), use.storage_bytes() + use.execution_bytes()));
}

void SparkPools::AddTo(proto::ExecutorSnapshot* snapshot) const {
  for (const auto& [off_heap, pool] : pools_) *snapshot->add_spark_pools() = pool;
}

}  // namespace memprof
