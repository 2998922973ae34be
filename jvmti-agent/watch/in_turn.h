// Who of many comes next where only some may. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memprof {

// At most `most` of the ids, those that follow `last` in the order of numbers, from the first again after the last of all.
inline std::vector<int64_t> InTurn(std::vector<int64_t> ids, int64_t last, size_t most) {
  std::sort(ids.begin(), ids.end());
  std::rotate(ids.begin(), std::upper_bound(ids.begin(), ids.end(), last), ids.end());
  if (ids.size() > most) ids.resize(most);
  return ids;
}

}  // namespace memprof
