// News: what other threads report to the watcher between two of its looks: figures of Spark's memory manager, and facts about
// processes, which the watcher may not have discovered yet. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "proto/memprof.pb.h"
#include "watch/process_watch.h"
#include "watch/spark_pools.h"

namespace memprof {

// The last figures of Spark's memory manager, in bytes.
struct SparkMemoryUse {
  uint64_t storage = 0, execution = 0, heap_max = 0, heap_committed = 0;
  std::optional<uint64_t> unroll;  // of storage on-heap and off-heap: blocks that are not stored yet; nothing: not known
};

// All of its figures so far.
struct SparkNews {
  SparkMemoryUse now, peak;
  SparkPools pools;
};

class News {
 public:
  static constexpr std::chrono::seconds kKeptFor{7};  // how long news of an unknown process is kept

  void Clear();
  void SetSparkMemory(const SparkMemoryUse& use);
  void SetSparkPool(const proto::PoolUse& use);
  void SetLastTask(const ProcessName& process, int64_t task_attempt_id);
  void SetRss(const ProcessRss& rss);
  void SetBaseline(const ProcessBaseline& baseline);
  // Passed on a little later: a kill by the kernel is assigned first to processes that the ticks saw disappear.
  void SetEnded(const EndedProcess& process);
  void HoldNothingBack();  // the watcher's last look follows

  SparkMemoryUse SparkMemory() const;
  // Passes news of processes to `processes`, and returns Spark's.
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
  std::map<ProcessName, int64_t> last_tasks_;
  std::map<int32_t, Said<ProcessRss>> rss_;
  std::map<int32_t, Said<ProcessBaseline>> baselines_;
  std::vector<EndedProcess> ended_;
  bool holds_back_ = true;
};

}  // namespace memprof
