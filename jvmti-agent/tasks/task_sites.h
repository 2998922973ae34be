// TaskSites: what a running task allocated, by call site. A site is one Java stack; it is found by the hash of the raw
// stack, so that a stack is named and interned only when a task meets it for the first time.
//
// Bounds: kMaxSites sites in one table, SiteBudget::kMaxSitesOfAllTasks together; the caller adds sites without a place to
// `rest`, so that totals still add up. Not thread-safe: a task's tables are guarded by its slot (tasks/task_table.h). Allocates;
// not for GC callbacks.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "stacks/jvm_stacks.h"

namespace memprof {

// Unbiased bytes and blocks, and the variance of the bytes (bytes²); see sampling/estimator.h. Negative to take back.
struct Amount {
  double bytes = 0;
  double blocks = 0;
  double variance = 0;

  Amount& operator+=(const Amount& other) {
    bytes += other.bytes;
    blocks += other.blocks;
    variance += other.variance;
    return *this;
  }
  Amount& operator-=(const Amount& other) {
    bytes -= other.bytes;
    blocks -= other.blocks;
    variance -= other.variance;
    return *this;
  }
};

// Sites in all tables of the process. Thread-safe.
class SiteBudget {
 public:
  static constexpr uint32_t kMaxSitesOfAllTasks = 24u << 10;

  bool HasRoom() const { return taken_.load(std::memory_order_relaxed) < kMaxSitesOfAllTasks; }
  bool Take() {
    if (taken_.fetch_add(1, std::memory_order_relaxed) < kMaxSitesOfAllTasks) return true;
    taken_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  void GiveBack(size_t sites) { taken_.fetch_sub(static_cast<uint32_t>(sites), std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> taken_{0};
};

// `Figures` is what a table keeps per site and for the rest.
template <typename Figures>
class TaskSites {
 public:
  static constexpr size_t kMaxSites = 4096;
  static constexpr uint32_t kNoSite = UINT32_MAX;

  struct Site {
    JvmStackId stack;
    Figures figures;
  };

  explicit TaskSites(SiteBudget* budget) : budget_(budget) {}
  ~TaskSites() { budget_->GiveBack(sites_.size()); }
  TaskSites(const TaskSites&) = delete;
  TaskSites& operator=(const TaskSites&) = delete;

  bool Knows(uint64_t stack_hash) const { return by_hash_.contains(stack_hash); }
  // False: a stack that isn't known goes to `rest`, so it needs no name, which would take the room of other tasks' stacks.
  bool HasRoom() const { return sites_.size() < kMaxSites && budget_->HasRoom(); }

  // The index of the stack's site, made if needed; kNoSite when there is no place for it.
  uint32_t FindOrAdd(uint64_t stack_hash, JvmStackId stack) {
    const auto known = by_hash_.find(stack_hash);
    if (known != by_hash_.end()) return known->second;
    if (sites_.size() >= kMaxSites || !budget_->Take()) return kNoSite;
    sites_.push_back({stack, {}});
    const auto index = static_cast<uint32_t>(sites_.size() - 1);
    by_hash_.emplace(stack_hash, index);
    return index;
  }

  Figures& At(uint32_t index) { return index == kNoSite ? rest_ : sites_[index].figures; }
  const std::vector<Site>& sites() const { return sites_; }
  const Figures& rest() const { return rest_; }

 private:
  SiteBudget* budget_;
  std::vector<Site> sites_;
  std::unordered_map<uint64_t, uint32_t> by_hash_;
  Figures rest_;
};

using HeapSites = TaskSites<Amount>;

}  // namespace memprof
