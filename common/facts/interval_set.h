// A set of integers kept as ranges. Task ids and partitions are dense, so a million of them cost a few nodes.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <memory_resource>

namespace memprof {

class IntervalSet {
 public:
  explicit IntervalSet(std::pmr::memory_resource* memory) : last_of_first_(memory) {}

  bool Contains(int64_t value) const {
    auto after = last_of_first_.upper_bound(value);
    return after != last_of_first_.begin() && std::prev(after)->second >= value;
  }

  void Add(int64_t value) {
    if (Contains(value)) return;
    auto after = last_of_first_.upper_bound(value);
    bool joins_after = after != last_of_first_.end() && value != INT64_MAX && after->first == value + 1;
    bool joins_before = false;
    auto before = after;
    if (after != last_of_first_.begin()) {
      before = std::prev(after);
      joins_before = before->second != INT64_MAX && before->second + 1 == value;
    }
    int64_t last = joins_after ? after->second : value;
    if (joins_after) last_of_first_.erase(after);
    if (joins_before) {
      before->second = last;
    } else {
      last_of_first_.emplace(value, last);
    }
    ++size_;
  }

  uint64_t size() const { return size_; }

 private:
  std::pmr::map<int64_t, int64_t> last_of_first_;
  uint64_t size_ = 0;
};

}  // namespace memprof
