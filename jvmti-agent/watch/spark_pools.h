// SparkPools: the unified memory of this executor's memory manager, on-heap and off-heap, over the executor's life. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>

#include "base/clock.h"
#include "proto/memprof.pb.h"

namespace memprof {

class SparkPools {
 public:
  void Add(const proto::PoolUse& use, const Instant& now);
  void AddTo(proto::ExecutorSnapshot* snapshot) const;

 private:
  std::map<bool, proto::SparkPool> pools_;  // by off-heap
};

}  // namespace memprof
