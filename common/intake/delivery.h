// Delivery: the same information may arrive by merge, task end, heartbeat and RPC, in any order and any number of times. A task's
// profile is replaced as a whole by one of a higher sequence; an executor's peaks are joined; names are added.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "rollup/state.h"

namespace memprof {

// A refused message changes nothing. `arrived`: of a message that its executor has just sent; none if it was kept meanwhile.
Status Deliver(std::string_view envelope, StoreState& state, const std::optional<Instant>& arrived = std::nullopt);

}  // namespace memprof
