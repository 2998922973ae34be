// What the Python sessions of one task add to the message about it: their sites, functions, descriptions and counters.
// Pure functions over copies, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blackbox/box_reader.h"
#include "profile/native_frames.h"
#include "profile/profile_sites.h"
#include "proto/memprof.pb.h"

namespace memprof {

// The process-level session of a box, which has what closed sessions left live, at the time when `through` was the last closed
// session. Beside an open session it has nothing of that one.
struct ProcessLeftovers {
  BoxSession process;
  uint64_t through = 0;
};

struct PythonSession {
  BoxIdentity box;
  BoxSession session;
  std::optional<ProcessLeftovers> leftovers = std::nullopt;
  std::optional<int64_t> ended_ms = std::nullopt;  // of a session that wasn't closed: about when its process ended; since the epoch
};

struct PythonNames {
  NativeCallsAt native;
  std::string working_directory;  // files in it are named relative to it; "" = none are
  bool withheld = false;          // names of the user's own functions and files are replaced, each by its hash
};

// Adds all sessions of one task to `sites`, which are afterwards joined and complete, but not yet cut (profile_cut.h). Adds to
// `profile` all that is not a site: sessions, functions, counters, the interval, and whether any session is partial.
void AddPythonSessions(const std::vector<PythonSession>& sessions, const PythonNames& names, ProfileSites* sites,
                       proto::TaskProfile* profile);

// A counter of zero is not written.
void AddCounter(const std::string& name, uint64_t value, proto::TaskProfile* profile);

}  // namespace memprof
