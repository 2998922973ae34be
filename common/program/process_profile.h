// What one process of a program left in its box, as the message about one task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blackbox/box_reader.h"

namespace memprof {

// Of a session: the largest resident size of its process, as it read it when it ended in order. The process's own row has it.
inline constexpr const char* kPeakRssCounter = "peakRssBytes";

// Serialised proto::Envelopes: the profile, as large as a store takes it (what does not fit goes to the remainder), and the text of the
// lines that its frames stand on. `program` is what was run (empty: the session's own functions stand for it), `task` both the task
// attempt and the partition.
std::vector<std::string> ProcessMessages(const BoxIdentity& box, const BoxSession& session, const std::string& program, int32_t task);

}  // namespace memprof
