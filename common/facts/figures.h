// How figures of one site are put together. Within a task everything adds up; over tasks allocated adds up, while what was
// live and resident, at the peak and at the end, is the largest of any one task (these are different moments).
#pragma once

#include "facts/records.h"

namespace memprof {

// Stack nodes that turned out to be one site of one task.
void AddWithinTask(const SiteFigures& other, SiteFigures& figures);

// One more task, or tasks already summed up.
void AddOverTasks(const SiteFigures& other, SiteFigures& figures);

}  // namespace memprof
