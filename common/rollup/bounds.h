// Bounds: keeps the store within its limit of native memory. First to go is the detail of single tasks, folded into the
// sums of their stage: tasks whose stage is complete and whose outcome and final profile are known lose nothing by it.
// Only if that is not enough go the rows of the lightest tasks (droppedTaskRows), then the lightest sites of stages (counted in
// droppedSites, their bytes stay in the remainders), the lightest of complete stages and of removed executors (droppedStages,
// droppedExecutors: one sum of each stays; first those that a report has no row for anyway) and at last profiles of tasks that still run
// (droppedTasks).
#pragma once

#include "rollup/state.h"

namespace memprof {

void KeepWithinLimit(StoreState& state);

}  // namespace memprof
