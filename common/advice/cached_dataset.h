// What was cached at one moment, as the rules weigh it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace memprof {

// The dataset that held most of one mode's storage: over all executors when a stage ended, or in the executor that died.
struct CachedDataset {
  int64_t rdd_id = -1;
  std::string name;
  uint64_t bytes = 0;
  uint64_t of_bytes = 0;         // of all cached data and broadcast variables
  uint64_t broadcast_bytes = 0;  // of these, of broadcast variables
};
using CachedByMode = std::array<CachedDataset, 2>;  // on-heap, off-heap

// "`orders`", "`RDD 7`"
inline std::string NameOf(const CachedDataset& dataset) {
  return "`" + (dataset.name.empty() ? "RDD " + std::to_string(dataset.rdd_id) : dataset.name) + "`";
}

}  // namespace memprof
