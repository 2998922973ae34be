// What a budget gives to a region, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "budget/budget.h"

namespace memprof::testing {

inline std::optional<uint64_t> Region(const Budget& budget, std::string_view name) {
  for (const BudgetRegion& region : budget.regions) {
    if (region.name == name) return region.bytes;
  }
  ADD_FAILURE() << "no region " << name;
  return std::nullopt;
}

}  // namespace memprof::testing
