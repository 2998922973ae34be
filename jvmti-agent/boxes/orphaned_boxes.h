// Boxes of executors that are dead: what their Python workers held when they died, exactly and whole, while the dead executor's own last
// message may be seconds old. The living executors of the application on this host read them.
//
// An executor lives while it holds its claim, `executor-<id>-<uuid>.mark` in the boxes' directory: a file lock, which goes with the
// process. A box is left alone while its own process lives. Thread-safe (no state).
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
  std::vector<std::string> boxes;  // whose sessions are all among them, or tell nothing: to be removed
};

// `own`: the living executor's place; its own boxes are not looked at. At most kMostOrphans boxes at a time.
inline constexpr size_t kMostOrphans = 64;
Orphans FindOrphans(const BoxPlace& own);

}  // namespace memprof
