// Shortcomings: what could not be measured and why; it becomes `notAvailable` in the report. For each thing the first reason is
// kept; at most kMax things. Thread-safe.
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
  void Remove(const std::string& what) {  // it can be measured now
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry& entry) { return entry.what == what; });
  }
  void Clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }
  std::vector<Entry> All() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace memprof
