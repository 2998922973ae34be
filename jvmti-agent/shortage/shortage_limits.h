// ShortageLimits: bounds the work for OutOfMemoryErrors of the heap, because some programs cause thousands. Told are the first error of
// each task, a few of threads without a task in kBetweenOthers, a few of the JVM's own threads, and one in kBetweenLooks in any case (it
// may be the JVM's last; after kMostTold in kBetweenLateLooks). The rest is only counted.
//
// A walk of the whole heap stops the world, so there is at most one of a full heap in kBetweenLooks. The first error need not be that of
// the thread that filled the heap: when there is no room, some thread that needs little finds none, and by the time of its look what
// filled the heap may have been let go. So a look at a heap that is not full doesn't use up that one; it has a bound of its own.
//
// Thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace memprof {

class ShortageLimits {
 public:
  static constexpr int64_t kBetweenLooksNs = int64_t{15} * 1'000'000'000, kBetweenOthersNs = int64_t{5} * 1'000'000'000;
  static constexpr int64_t kBetweenLateLooksNs = 20 * kBetweenLooksNs;
  static constexpr size_t kMostTold = 64, kMostOwnTold = 8, kMostOthers = 4;

  void Reset() {
    const std::lock_guard lock(mutex_);
    errors_ = told_ = own_told_ = others_ = 0;
    due_ns_ = full_ns_ = half_empty_ns_ = other_ns_ = own_ns_ = 0;
  }

  // Whether an error is told. `task_attempt_id`: -1 for no task. `now_ns`: monotonic.
  bool Met(int64_t task_attempt_id, int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    ++errors_;
    if (task_attempt_id < 0 && IsDue(other_ns_, kBetweenOthersNs, now_ns)) {
      other_ns_ = now_ns;
      others_ = 0;
    }
    const bool is_due = IsDue(due_ns_, BetweenLooks(), now_ns);
    if (!is_due && !IsNew(task_attempt_id)) return false;
    if (is_due) due_ns_ = now_ns;
    if (told_ < kMostTold) tasks_[told_++] = task_attempt_id;
    if (task_attempt_id < 0) ++others_;
    return true;
  }

  // Whether the whole heap is walked, for an error that is told.
  bool Looks(bool is_full, int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    int64_t& last_ns = is_full ? full_ns_ : half_empty_ns_;
    if (!IsDue(last_ns, BetweenLooks(), now_ns)) return false;
    last_ns = now_ns;
    return true;
  }

  // An error of a thread of the JVM's own. True: to be told, without a walk of the heap.
  bool MetByJvm(int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    ++errors_;
    if (own_told_ == kMostOwnTold || !IsDue(own_ns_, kBetweenOthersNs, now_ns)) return false;
    ++own_told_;
    own_ns_ = now_ns;
    return true;
  }

  uint64_t errors() const {
    const std::lock_guard lock(mutex_);
    return errors_;
  }

 private:
  static bool IsDue(int64_t last_ns, int64_t between_ns, int64_t now_ns) { return last_ns == 0 || now_ns - last_ns >= between_ns; }

  int64_t BetweenLooks() const { return told_ < kMostTold ? kBetweenLooksNs : kBetweenLateLooksNs; }

  bool IsNew(int64_t task_attempt_id) const {
    if (told_ == kMostTold) return false;
    if (task_attempt_id < 0) return others_ < kMostOthers;
    return std::find(tasks_.begin(), tasks_.begin() + told_, task_attempt_id) == tasks_.begin() + told_;
  }

  mutable std::mutex mutex_;
  uint64_t errors_ = 0;
  int64_t due_ns_ = 0, full_ns_ = 0, half_empty_ns_ = 0, other_ns_ = 0, own_ns_ = 0;  // 0: not yet
  size_t told_ = 0, own_told_ = 0, others_ = 0;
  std::array<int64_t, kMostTold> tasks_{};
};

// Likewise for errors of other pools, of which only a message is made: a program may try again and again, and any of its errors may be the
// one that ends the JVM. One in kBetweenNs is told, and then the first one of a task. Thread-safe.
class PoolErrorLimits {
 public:
  static constexpr int64_t kBetweenNs = int64_t{5} * 1'000'000'000;

  void Reset() {
    const std::lock_guard lock(mutex_);
    errors_ = 0;
    told_ns_ = 0;
  }

  // True: to be told.
  bool Met(int64_t task_attempt_id, int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    ++errors_;
    const bool of_task = task_attempt_id >= 0;
    const bool is_due = told_ns_ == 0 || now_ns - told_ns_ >= kBetweenNs;
    if (!is_due && (!of_task || told_of_task_)) return false;
    if (is_due) told_ns_ = now_ns;
    told_of_task_ = of_task;
    return true;
  }

  uint64_t errors() const {
    const std::lock_guard lock(mutex_);
    return errors_;
  }

 private:
  mutable std::mutex mutex_;
  uint64_t errors_ = 0;
  int64_t told_ns_ = 0;  // 0: never
  bool told_of_task_ = false;
};

}  // namespace memprof
