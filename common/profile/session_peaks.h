// What the sessions of one task held together. They run side by side (chained UDFs: one worker each, at the same time) or one
// after another (coalesce and union: each input partition is a session of its own). Sessions don't record when their peak was, so
// the moment is chosen at which they can have held most:
//
//   sessions of one process    follow one another: the largest counts, never their sum
//   of different processes     are added, unless one was over before the other began. Of a process that ended without a word that is
//                              known to half a second
//
// The choice is made once for all sites of a task, by what whole sessions held: if it were made for each site, sites of sessions
// that followed one another would be summed.
//
// A session's time begins when its worker learns which task it serves, not when a reused worker begins to wait for one.
// Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace memprof {

struct SessionSpan {
  int32_t pid = 0;
  uint64_t process_start_ticks = 0;  // tells processes of the same pid apart
  int64_t begin_ms = 0;              // since the epoch, and within these milliseconds: equal times prove nothing
  int64_t end_ms = std::numeric_limits<int64_t>::max();
};

struct HeldBytes {
  double bytes = 0;
  double variance = 0;  // bytes²
};

struct SessionShare {
  SessionSpan span;
  HeldBytes held;
};

// Among the sessions that may have been at work at the same moment, at most one for each process, the set with the largest sum:
// indexes into `sessions`, ascending. Empty only without sessions. Quadratic in the sessions; a box has 31 at most.
std::vector<size_t> LargestTogether(const std::vector<SessionShare>& sessions);

}  // namespace memprof
