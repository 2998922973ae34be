// Another executor in our control group: the limit is not ours alone.
#pragma once

#include "system/memory_cgroup.h"
#include "system/proc_files.h"

namespace memprof {

// Looks at no more than 2,048 processes.
bool OtherExecutorIn(const MemoryCgroup& cgroup, const ProcFiles& proc, int32_t own_pid);

}  // namespace memprof
