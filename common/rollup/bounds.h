// Bounds: keeps the store within its limit of native memory. Time lines are thinned first. Then the detail of single tasks is
// folded into the sums of their stage; tasks whose stage is complete and whose outcome and final profile are known lose nothing
// by it. If that is not enough, these go, in this order: stages and executors for which a report has no row anyway
// (droppedStages, droppedExecutors: one sum of each stays); of executors that are gone, but for a few hundred
// (short_executors.h), what a line about their death does not need, and then what their heaps retained (droppedRetainedHeaps); rows of the
// lightest tasks (droppedTaskRows); the lightest sites (droppedSites; their bytes stay in the remainders) and lines of stages; growth
// series, cached data and actions; the lightest complete stages and removed executors, those with a death last (droppedPostMortems); at
// last profiles of tasks that still run (droppedTasks).
#pragma once

#include "rollup/state.h"

namespace memprof {

void KeepWithinLimit(StoreState& state);

}  // namespace memprof
