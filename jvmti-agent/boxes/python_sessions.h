// Finds the Python sessions of a task in the black boxes of this executor. Boxes are opened again each time, because workers come
// and go and opening a box is cheap. Thread-safe (no state). A box or session that can't be read is counted and skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boxes/executor_boxes.h"
#include "boxes/process_rss.h"
#include "profile/python_profile.h"

namespace memprof {

// A session to acknowledge to its writer, once its figures have been sent.
struct SessionReceipt {
  std::string box_path;
  uint64_t number;
};

struct FoundSessions {
  std::vector<PythonSession> sessions;
  std::vector<ProcessRss> rss;  // of the processes that served the task
  std::vector<ProcessBaseline> baselines;
  std::vector<SessionReceipt> closed;
  RefusedBoxes refused;
  uint64_t unreadable = 0;  // of these, and of sessions
};
// `leftovers`: for each session also what its process still holds from all tasks whose sessions are closed.
enum class Leftovers : bool { kLeave, kRead };
FoundSessions FindSessions(const BoxPlace& place, int64_t task_attempt_id, Leftovers leftovers);
// Those that `found` lacks, which has those of the box at `read` already.
void AddOtherSessions(const BoxPlace& place, int64_t task_attempt_id, Leftovers leftovers, const std::string& read, FoundSessions* found);
void AddSessionsOf(const BoxPlace& place, const std::string& path, const BoxReader& box, int64_t task_attempt_id, Leftovers leftovers,
                   FoundSessions* found);

// The writers may reuse these sessions. A box that is no longer needed is removed by its writer or by the BoxKeeper.
void Acknowledge(const std::vector<SessionReceipt>& receipts);

}  // namespace memprof
