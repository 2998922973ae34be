// Which of the processes that vanished at one tick the kernel may have killed for memory. It chooses the largest (oom_badness). Pure
// functions.
#pragma once

#include <vector>

#include "watch/process_watch.h"

namespace memprof {

// A program, or the driver's own Python: most of them have ended by themselves, so the kernel's count explains only the end of one that was
// the largest. False for what always ends together with another process, and then a kill was that one's or its own.
bool MayHaveEndedByItself(const WatchedProcess& process);

// The largest worker or program first. Others that ended with it (its daemon) ended because of that. Of what a task has started, most
// have ended by themselves.
void SortLikeliestFirst(std::vector<WatchedProcess>* gone);

// Whether nobody else was larger, of those that have gone with it and of those that live: a smaller program has ended by itself. A program
// that drives Spark lasts as long as the application, and may be given a score (oom_score_adj), so those that live may be twice as large.
bool WasLargest(const WatchedProcess& process, const std::vector<WatchedProcess>& gone, const ProcessWatch& watch);

}  // namespace memprof
