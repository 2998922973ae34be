// Delivery: the same news may come by merge, task end, heartbeat and RPC, in any order and any number of times. A task's
// profile is replaced by one of a higher sequence, whole; an executor's peaks are joined; names are added.
#pragma once

#include <string_view>

#include "base/status.h"
#include "rollup/state.h"

namespace memprof {

// A refused message changes nothing.
Status Deliver(std::string_view envelope, StoreState& state);

}  // namespace memprof
