// News: what other threads tell the watcher between two of its looks: what Spark's memory manager says, and what is known of processes,
// which the watcher may not have discovered yet. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>

#include "proto/memprof.pb.h"
#include "watch/process_watch.h"
#include "watch/spark_pools.h"

namespace memprof {

// What Spark's memory manager said last, in bytes.
struct SparkMemoryUse {
  uint64_t storage = 0, execution = 0, heap_used = 0, heap_max = 0, heap_committed = 0;
};

// What it has said so far.
struct SparkNews {
  SparkMemoryUse now, peak;
  SparkPools pools;
};

class News {
 public:
  static constexpr std::chrono::seconds kKeptFor{7};  // of a process that isn't known; then it is let go

  void Clear();
  void SetSparkMemory(const SparkMemoryUse& use);
  void SetSparkPool(const proto::PoolUse& use);
  void SetLastTask(int32_t pid, int64_t task_attempt_id);
  void SetRows(const ProcessRows& rows);
  void SetBaseline(const ProcessBaseline& baseline);

  SparkMemoryUse SparkMemory() const;
  // Tells `processes` what is theirs, and returns what is Spark's.
  SparkNews TakeTo(ProcessWatch* processes);

 private:
  using Clock = std::chrono::steady_clock;

  template <typename Told>
  struct Said {
    Told news;
    Clock::time_point at;
  };

  mutable std::mutex mutex_;  // guards the rest
  SparkNews spark_;
  std::map<int32_t, int64_t> last_tasks_;
  std::map<int32_t, Said<ProcessRows>> rows_;
  std::map<int32_t, Said<ProcessBaseline>> baselines_;
};

}  // namespace memprof
