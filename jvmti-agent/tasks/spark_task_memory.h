// SparkTaskMemory: what one task holds of Spark's execution memory, by consumer, as sampled while it runs, and Spark's own
// metrics of it at its end. A consumer may grow and spill between two samples, so peaks here are lower bounds. Not thread-safe:
// used under the lock of its task's slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proto/memprof.pb.h"

namespace memprof {

// One MemoryConsumer at one moment.
struct ConsumerUse {
  std::string name;  // its Java class
  bool off_heap = false;
  uint64_t used_bytes = 0;
};

struct SparkTaskMetrics {
  uint64_t peak_execution_bytes = 0, spilled_memory_bytes = 0, spilled_disk_bytes = 0;
};

class SparkTaskMemory {
 public:
  static constexpr size_t kMostConsumers = 32;  // classes and modes; further ones are only counted

  // All consumers of the task at one moment. Those of one class and mode are summed.
  void Sample(const std::vector<ConsumerUse>& consumers);
  // The executor's memory of one mode at the same moment.
  void NotePool(const proto::PoolUse& pool);
  void SetMetrics(const SparkTaskMetrics& metrics) { metrics_ = metrics; }

  // In at most `max_bytes`: the smallest consumers are dropped first. Nothing is added where nothing was measured.
  void AddTo(size_t max_bytes, proto::TaskProfile* profile) const;

 private:
  std::map<std::pair<std::string, bool>, uint64_t> peaks_;  // by name and off-heap
  std::map<bool, proto::PoolUse> fullest_;                  // by off-heap
  std::optional<SparkTaskMetrics> metrics_;
  std::set<std::pair<std::string, bool>> lost_;  // beyond kMostConsumers; at most as many again are counted separately
};

}  // namespace memprof
