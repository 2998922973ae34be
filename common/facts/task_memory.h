// What tasks hold of Spark's memory: one task as it was reported, and many tasks combined. Interned; plain data except for Add().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "facts/interner.h"
#include "proto/memprof.pb.h"
#include "report/model.h"

namespace memprof {

inline constexpr size_t kMemoryModes = 2;  // on-heap, off-heap

// Spark's memory of one mode at one moment (proto::PoolUse).
struct PoolFigures {
  uint64_t max_bytes = 0, storage_bytes = 0, execution_bytes = 0;
  std::optional<uint64_t> storage_region_bytes;
};
using PoolsByMode = std::array<std::optional<PoolFigures>, kMemoryModes>;

struct InternedTaskMemory {
  explicit InternedTaskMemory(std::pmr::memory_resource* memory) : consumers(memory) {}

  struct Consumer {
    StringId name = 0;
    bool off_heap = false;
    uint64_t peak_bytes = 0;
  };
  std::pmr::vector<Consumer> consumers;
  std::optional<uint64_t> peak_execution_bytes, spilled_memory_bytes, spilled_disk_bytes;
  PoolsByMode fullest;
};

class TaskMemorySums {
 public:
  explicit TaskMemorySums(std::pmr::memory_resource* memory) : consumers_(memory) {}

  void Add(const InternedTaskMemory& task);
  void Add(const TaskMemorySums& tasks);

  // Drops all but the `keep` largest consumers. Returns how many were dropped.
  size_t Keep(size_t keep);
  void MoveTo(InternerCopy& copy, std::pmr::memory_resource* memory);  // see bounds.h

  // The stage's memory, with at most `most` consumers.
  void Fill(const Interner& interner, size_t most, ReportStageMemory& row) const;

 private:
  struct Consumer {
    uint64_t tasks = 0, peak_bytes = 0;
  };
  using Key = std::pair<StringId, bool>;  // name and off-heap

  std::vector<std::pair<Key, Consumer>> LargestFirst() const;

  std::pmr::map<Key, Consumer> consumers_;
  std::optional<uint64_t> peak_execution_bytes_;  // largest of any one task
  std::optional<uint64_t> spilled_memory_bytes_, spilled_disk_bytes_;
  uint64_t tasks_spilled_ = 0;
  PoolsByMode fullest_;
};

PoolFigures FiguresOf(const proto::PoolUse& use);

}  // namespace memprof
