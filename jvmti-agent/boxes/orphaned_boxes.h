// Boxes of dead executors. They have exactly what the Python workers held when they died, while the dead executor's own last
// message may be seconds old. The living executors of the application on this host read them.
//
// An executor lives while it holds its claim, a lock on the file `executor-<id>-<uuid>.mark` in the boxes' directory; the lock
// ends with the process. A box is not touched while its own process lives. Of any executor of the application, boxes that are refused or
// given up stay for a day, for a person to look at. Thread-safe (no state).
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
  std::vector<PythonSession> sessions;  // an open one with what earlier tasks had left in its process
};

struct Orphans {
  std::vector<OrphanedTask> tasks;
  // Boxes to be removed: those whose unread sessions are all in `tasks` (or that have none), and old ones that can't be read.
  std::vector<std::string> boxes;
};

// `own`: the living executor itself, whose own boxes are skipped. One call stops after kMostOrphans boxes, or after kMostOrphanBytes
// were read from them and copied out of them.
inline constexpr size_t kMostOrphans = 64;
inline constexpr uint64_t kMostOrphanBytes = uint64_t{256} << 20;
Orphans FindOrphans(const BoxPlace& own);

}  // namespace memprof
