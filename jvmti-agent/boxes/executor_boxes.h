// The black boxes of this executor: of its own Python processes, never of another executor's in the same folder.
#pragma once

#include <cstdint>
#include <string>

#include "blackbox/box_reader.h"

namespace memprof {

struct BoxPlace {
  std::string directory, application_id, executor_id;
};

// Calls visit(path, BoxReader&) for each; returns how many boxes could not be read, those not counted that come and go. A box is opened
// anew each time, for workers come and go and opening one is cheap. Thread-safe (no state).
template <typename Visit>
uint64_t ForEachBox(const BoxPlace& place, Visit&& visit) {
  uint64_t unreadable = 0;
  if (place.directory.empty()) return 0;
  for (const std::string& path : ListBoxes(place.directory, place.application_id)) {
    Result<BoxReader> box = BoxReader::Open(path);
    if (!box.ok()) {
      if (box.status().code() != ErrorCode::kNotFound) ++unreadable;
    } else if (box->identity().executor_id == place.executor_id) {
      visit(path, *box);
    }
  }
  return unreadable;
}

}  // namespace memprof
