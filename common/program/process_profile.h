// What one process of a program left in its box, as the message about one task.
#pragma once

#include <cstdint>
#include <string>

#include "blackbox/box_reader.h"

namespace memprof {

// Of a session: the largest resident size of its process, as it read it when it ended in order. The process's own row has it.
inline constexpr const char* kPeakRssCounter = "peakRssBytes";

// A serialised proto::Envelope of at most `max_bytes`; what does not fit goes to the remainder. `program` is what was run, `task`
// both the task attempt and the partition.
std::string ProcessProfile(const BoxIdentity& box, const BoxSession& session, const std::string& program, int32_t task, size_t max_bytes);

}  // namespace memprof
