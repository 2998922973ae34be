// Boxes of dead executors. They have exactly what the Python workers held when they died, while the dead executor's own last
// message may be seconds old. The living executors of the application on this host read them.
//
// An executor lives while it holds its claim, a lock on the file `executor-<id>-<uuid>.mark` in the boxes' directory; the lock
// ends with the process. A box is not touched while its own process lives. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boxes/executor_boxes.h"
#include "profile/python_profile.h"

namespace memprof {

// A task that ran in a dead executor.
struct OrphanedTask {
  std::string executor_id;
  std::vector<PythonSession> sessions;
};

struct Orphans {
  std::vector<OrphanedTask> tasks;
  std::vector<std::string> boxes;  // boxes whose sessions are all among them, or are empty: to be removed
};

// `own`: the living executor itself, whose own boxes are skipped. At most kMostOrphans boxes at a time.
inline constexpr size_t kMostOrphans = 64;
Orphans FindOrphans(const BoxPlace& own);

}  // namespace memprof
