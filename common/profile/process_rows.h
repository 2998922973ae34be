// The composition of a process's resident memory at its peak, from its box into the message about the process.
#pragma once

#include "blackbox/box_reader.h"
#include "proto/memprof.pb.h"

namespace memprof {

// Adds the rows, largest first, the RSS at which they were measured, and the unattributed rest of the process's peak. A peak
// below that RSS is raised to it.
void AddProcessRows(const BoxRows& rows, proto::Process* process);

}  // namespace memprof
