// ShortageLimits: bounds the work for OutOfMemoryErrors of the heap, because some programs cause thousands. A walk of the whole
// heap stops the world, so there is at most one in kBetweenLooks. The stack of the thread is reported for the first error of each
// task, and for threads without a task once in kBetweenOthers (any error may be the JVM's last), at most kMostTold in all. The
// rest is only counted. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace memprof {

class ShortageLimits {
 public:
  static constexpr int64_t kBetweenLooksNs = int64_t{15} * 1'000'000'000, kBetweenOthersNs = int64_t{5} * 1'000'000'000;
  static constexpr size_t kMostTold = 64;
  enum class Worth : uint8_t { kCounting, kTelling, kLooking };

  void Reset() {
    const std::lock_guard lock(mutex_);
    errors_ = told_ = 0;
    looked_ns_ = other_ns_ = 0;
  }

  // `task_attempt_id`: -1 for no task. `now_ns`: monotonic.
  Worth Met(int64_t task_attempt_id, int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    ++errors_;
    const bool looks = looked_ns_ == 0 || now_ns - looked_ns_ >= kBetweenLooksNs;
    bool is_new = true;
    if (task_attempt_id < 0) {
      is_new = other_ns_ == 0 || now_ns - other_ns_ >= kBetweenOthersNs;
    } else {
      for (size_t i = 0; i < told_; ++i) is_new = is_new && tasks_[i] != task_attempt_id;
    }
    if (told_ == kMostTold || (!is_new && !looks)) return Worth::kCounting;
    tasks_[told_++] = task_attempt_id;
    if (task_attempt_id < 0) other_ns_ = now_ns;
    if (looks) looked_ns_ = now_ns;
    return looks ? Worth::kLooking : Worth::kTelling;
  }

  uint64_t errors() const {
    const std::lock_guard lock(mutex_);
    return errors_;
  }

 private:
  mutable std::mutex mutex_;
  uint64_t errors_ = 0;
  int64_t looked_ns_ = 0, other_ns_ = 0;  // 0: not yet
  size_t told_ = 0;
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
