// What was cached, by its name, for the rules of advice. Pure.
#pragma once

#include <array>

#include "advice/cached_dataset.h"
#include "facts/cached_data.h"

namespace memprof {

inline CachedByMode NamedCached(const std::array<LargestCached, 2>& largest, const CachedData& cached) {
  CachedByMode named;
  for (size_t mode = 0; mode < named.size(); ++mode) {
    named[mode] = {largest[mode].rdd_id, cached.NameOf(largest[mode].rdd_id), largest[mode].bytes, largest[mode].of_bytes};
  }
  return named;
}

}  // namespace memprof
