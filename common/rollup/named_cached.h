// What was cached, by its name, for the rules of advice. Pure.
#pragma once

#include <array>

#include "advice/cached_dataset.h"
#include "facts/cached_data.h"

namespace memprof {

inline CachedByMode NamedCached(const std::array<LargestCached, 2>& largest, const CachedData& cached) {
  CachedByMode named;
  for (size_t mode = 0; mode < named.size(); ++mode) {
    const LargestCached& each = largest[mode];
    named[mode] = {each.rdd_id, cached.NameOf(each.rdd_id), each.bytes, each.of_bytes, each.broadcast_bytes};
  }
  return named;
}

}  // namespace memprof
