// Shortcomings: what could not be measured and why; it becomes `notAvailable` in the report. For each thing the first reason is
// kept; at most kMax things. What is true of the JVM outlives an application in it. Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace memprof {

class Shortcomings {
 public:
  static constexpr size_t kMax = 32;
  struct Entry {
    std::string what, why;
  };

  void Add(std::string what, std::string why) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (entry.what == what) return;
    }
    if (entries_.size() < kMax) entries_.push_back({std::move(what), std::move(why)});
  }
  void KeepThese() {  // Clear() leaves what has been added so far
    const std::lock_guard lock(mutex_);
    kept_ = entries_.size();
  }
  void Clear() {
    const std::lock_guard lock(mutex_);
    entries_.resize(kept_);
  }
  std::vector<Entry> All() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  size_t kept_ = 0;
};

}  // namespace memprof
