// Which of the processes that vanished at one tick the kernel may have killed for memory. It chooses the largest (oom_badness). Pure
// functions.
#pragma once

#include <vector>

#include "watch/process_watch.h"

namespace memprof {

// The largest worker or program first. Others that ended with it (its daemon) ended because of that. Of what a task has started, most
// have ended by themselves.
void SortLikeliestFirst(std::vector<WatchedProcess>* gone);

// Whether nobody else was larger, of those that have gone with it and of those that live: a smaller program has ended by itself.
bool WasLargest(const WatchedProcess& program, const std::vector<WatchedProcess>& gone, const ProcessWatch& watch);

}  // namespace memprof
