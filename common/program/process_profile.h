// What one process of a program left in its box, as the message about one task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/python_profile.h"

namespace memprof {

// A counter of a session: the process's largest resident set, which the process reads itself when it ends normally. It is shown in the
// process's row.
inline constexpr const char* kPeakRssCounter = "peakRssBytes";

// Serialised proto::Envelopes, of an executor that is called "driver": the profile, as large as a store accepts (sites that do not fit go
// to the remainder), and the text of the lines in its frames. `program`: what was run (empty: the session's own functions are named
// instead). `task`: both the task attempt and the partition.
std::vector<std::string> ProcessMessages(PythonSession python, const std::string& program, int32_t task);

}  // namespace memprof
