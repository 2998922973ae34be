// Counters of executors and workers, combined over tasks: they are summed, except those whose name says that they are maxima.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace memprof {

using CounterSums = std::map<std::string, uint64_t, std::less<>>;

inline void AddCounter(std::string_view name, uint64_t value, CounterSums& sums) {
  auto found = sums.find(name);
  if (found == sums.end()) {
    sums.emplace(name, value);
  } else if (name.ends_with("PeakBytes") || name.ends_with("MaxBytes")) {
    found->second = std::max(found->second, value);
  } else {
    found->second += value;
  }
}

}  // namespace memprof
