// The order of executors in a report: 2 before 10, names after numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

namespace memprof {

inline bool ExecutorBefore(std::string_view a, std::string_view b) {
  auto order = [](std::string_view id) {
    uint64_t number = UINT64_MAX;
    std::from_chars(id.data(), id.data() + id.size(), number);
    return std::pair(number, id);
  };
  return order(a) < order(b);
}

}  // namespace memprof
