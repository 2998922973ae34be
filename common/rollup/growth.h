// Growth from task to task: lines of the user's own code that leave more behind with every task that a reused worker serves.
// After each task its worker's profile says what all tasks so far have left live (proto::Leftovers): that series is examined, not
// what single tasks leave, because one task may free what another left.
//
// The slope is the Theil-Sen estimator: the median of the slopes between any two tasks, with Sen's 95 % confidence interval based
// on Kendall's statistic, corrected for ties. Unlike least squares it gives no slope for a single step, so a cache that fills
// once is not reported. Bounded: the last 64 tasks of a worker, its 16 largest lines, 512 workers. Used under the store's mutex.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "facts/facts.h"
#include "facts/interner.h"
#include "report/model.h"

namespace memprof {

namespace proto {
class TaskProfile;
}

// A slope and its 95 % confidence interval, in bytes for each task; negative where bytes decreased.
struct Slope {
  double median = 0, low = 0, high = 0;
};

// For points in any order, of which at least two differ in x; otherwise nothing. Quadratic in their number.
std::optional<Slope> SenSlope(const std::vector<std::pair<double, double>>& points);

class Growth {
 public:
  static constexpr size_t kMostTasks = 64, kMostLines = 16, kMostWorkers = 512;
  static constexpr size_t kFewestTasks = 8;

  explicit Growth(std::pmr::memory_resource* memory) : workers_(memory) {}

  // A task's final profile, and the same `decoded`. Repeated leftovers of a session count once.
  void Add(std::string_view executor_id, const proto::TaskProfile& profile, const InternedProfile& decoded, Interner& interner);

  // One row for each line that grows: in a worker, over at least kFewestTasks tasks that ran its function, with an interval above
  // 0, grown by at least `least_bytes` in all, and still held. Most bytes first, at most `most`.
  std::vector<ReportLeak> Leaks(const Interner& interner, uint64_t least_bytes, size_t most) const;

  // Forgets all workers except the `keep` that hold most. Returns how many were forgotten.
  size_t Keep(size_t keep);
  void MoveTo(InternerCopy& copy);  // see bounds.h
  uint64_t dropped_workers() const { return dropped_workers_; }

 private:
  struct WorkerKey {
    std::string executor;
    int32_t pid;
    int64_t since_ms;
    auto operator<=>(const WorkerKey&) const = default;
  };
  struct Task {
    uint64_t through = 0;
    bool complete = false;
    std::vector<UdfId> udfs;
  };
  struct Line {
    explicit Line(std::pmr::memory_resource* memory) : udfs(memory), left(memory) {}
    std::pmr::vector<UdfId> udfs;                          // that ran it
    std::pmr::vector<std::pair<uint64_t, uint64_t>> left;  // session, bytes
  };
  struct Worker {
    explicit Worker(std::pmr::memory_resource* memory) : tasks(memory), lines(memory) {}
    std::pmr::map<uint64_t, Task> tasks;  // by session
    std::pmr::map<uint32_t, Line> lines;  // by index + 1 of the frame
  };

  static uint64_t LeftAt(const Line& line, uint64_t session);
  static uint64_t HeldBy(const Worker& worker);
  static void Bound(Worker& worker);
  static std::optional<ReportLeakWorker> Found(const Worker& worker, const Line& line, uint64_t least_bytes);

  std::pmr::map<WorkerKey, Worker> workers_;
  uint64_t dropped_workers_ = 0;
};

}  // namespace memprof
