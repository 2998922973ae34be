// What a Python process holds besides its open task's session: the process-level session of its box, to which survivors of closed sessions
// move. For agents that read the boxes of their workers, and for the command line, which reads those of the dead. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>

#include "blackbox/box_reader.h"
#include "profile/python_profile.h"

namespace memprof {

struct ProcessLevel {
  BoxSession session;
  std::optional<uint64_t> through;  // the last session that was closed by then; absent: that isn't certain
};

// Nothing: it has none, or can't be read.
std::optional<ProcessLevel> ReadProcessLevel(const BoxReader& box);

// Beside a session that was read before. Nothing: it is not known, or the session was closed meanwhile, and what it left is in both.
std::optional<ProcessLeftovers> Beside(const BoxSession& session, const ProcessLevel& process);
std::optional<ProcessLeftovers> LeftoversBeside(const BoxReader& box, const BoxSession& session);

}  // namespace memprof
