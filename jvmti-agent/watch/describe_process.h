// A watched process, alive or dead, as a message: its peak with the rows of that moment.
#pragma once

#include "proto/memprof.pb.h"
#include "watch/process_watch.h"

namespace memprof {

// Who it is: all but its memory.
void Identify(const WatchedProcess& process, proto::Process* message);

// `withheld`: without names of the user's own Python modules.
void Describe(const WatchedProcess& process, bool withheld, proto::Process* message);

}  // namespace memprof
