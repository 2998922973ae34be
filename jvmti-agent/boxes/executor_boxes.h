// The black boxes of this executor: of its own Python processes, never of another executor's in the same folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blackbox/box_reader.h"

namespace memprof {

struct BoxPlace {
  std::string directory, application_id, executor_id;
};

// Boxes that could not be read: damaged, of another version, or not ours. Boxes that appear or disappear meanwhile don't count.
struct RefusedBoxes {
  static constexpr size_t kMostNamed = 8;
  struct Named {
    std::string path, why;
  };

  uint64_t count = 0;
  std::vector<Named> named;  // the first ones
};

// Calls visit(path, BoxReader&) for each. A box is opened again each time, because workers come and go and opening a box is
// cheap. Thread-safe (no state).
template <typename Visit>
RefusedBoxes ForEachBox(const BoxPlace& place, Visit&& visit) {
  RefusedBoxes refused;
  if (place.directory.empty()) return refused;
  for (const std::string& path : ListBoxes(place.directory, place.application_id)) {
    Result<BoxReader> box = BoxReader::Open(path);
    if (!box.ok()) {
      if (box.status().code() == ErrorCode::kNotFound) continue;
      if (++refused.count <= RefusedBoxes::kMostNamed) refused.named.push_back({path, box.status().message()});
    } else if (box->identity().executor_id == place.executor_id) {
      visit(path, *box);
    }
  }
  return refused;
}

}  // namespace memprof
