// What one process of a program left in its box, as the message about one task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blackbox/box_reader.h"

namespace memprof {

// A counter of a session: the process's largest resident set, which the process reads itself when it ends normally. It is shown in the
// process's row.
inline constexpr const char* kPeakRssCounter = "peakRssBytes";

// Serialised proto::Envelopes: the profile, as large as a store accepts (sites that do not fit go to the remainder), and the text of the
// lines in its frames. `program`: what was run (empty: the session's own functions are named instead). `task`: both the task attempt and
// the partition.
std::vector<std::string> ProcessMessages(const BoxIdentity& box, const BoxSession& session, const std::string& program, int32_t task);

}  // namespace memprof
