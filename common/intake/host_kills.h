// The kernel's count of kills on a host (/proc/vmstat, oom_kill) after an executor's end there, as another executor on that host reads
// it. If it is what the dead one read last, the kernel did not kill it. Not thread-safe.
#pragma once

#include <string_view>

#include "proto/memprof.pb.h"
#include "rollup/state.h"

namespace memprof {

// From now on, the first count that another executor of its host reads after the end of this one is wanted.
void WantHostKills(std::string_view removed_id, StoreState& state);

// `snapshot`: what an executor has just sent.
void TakeHostKills(std::string_view executor_id, const proto::ExecutorSnapshot& snapshot, StoreState& state);

}  // namespace memprof
