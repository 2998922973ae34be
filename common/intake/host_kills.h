// The kernel's count of kills on a host (/proc/vmstat, oom_kill) after an executor's end there, as another executor on that host, or the
// driver, reads it. If it is what the dead one read last, the kernel did not kill it. A kill may have been of any process, so a higher
// count says little, and nothing at all after a while. Not thread-safe.
#pragma once

#include <string_view>

#include "proto/memprof.pb.h"
#include "rollup/state.h"

namespace memprof {

// From now on, what others on its host count is kept as evidence for this one. One that ended without an exit code may live on: for it
// nothing is kept, but if it was being decommissioned, for then Spark gives no code in any case.
void WantHostKills(std::string_view removed_id, StoreState& state);

// `snapshot`: what an executor has just sent, of whose clock something is known by then.
void TakeHostKills(std::string_view executor_id, const proto::ExecutorSnapshot& snapshot, StoreState& state);

}  // namespace memprof
