// What could not be measured, as part of a snapshot.
#pragma once

#include "base/shortcomings.h"
#include "proto/envelope.h"

namespace memprof {

inline void AddNotAvailable(const Shortcomings& shortcomings, proto::ExecutorSnapshot* snapshot) {
  for (const Shortcomings::Entry& entry : shortcomings.All()) AddNotAvailable(entry.what, entry.why, snapshot);
}

}  // namespace memprof
