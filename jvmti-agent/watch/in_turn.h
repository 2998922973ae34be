// Round robin: which of many ids are next when only some of them are served at a time. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memprof {

// At most `most` of the ids in ascending order, beginning after `last`; after the largest id it continues with the smallest.
inline std::vector<int64_t> InTurn(std::vector<int64_t> ids, int64_t last, size_t most) {
  std::sort(ids.begin(), ids.end());
  std::rotate(ids.begin(), std::upper_bound(ids.begin(), ids.end(), last), ids.end());
  if (ids.size() > most) ids.resize(most);
  return ids;
}

}  // namespace memprof
