// What an executor had last said of itself and its processes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/memprof.pb.h"
#include "rollup/state.h"

namespace memprof {

// The last sample; of an executor of an older version the one at its peak. Null: none. It lives as long as the snapshot.
const proto::Moment* LastMoment(const proto::ExecutorSnapshot& snapshot);
std::vector<proto::WorkerDeath> WorkersThatDiedIn(const std::string& executor_id, const StoreState& state);
// What a region held at a moment; nothing: not known.
std::optional<uint64_t> RegionOf(const proto::Moment& moment, std::string_view name);

// What was in use, less what workers held that have died since.
proto::Moment Without(const std::vector<proto::WorkerDeath>& dead, const proto::Moment& moment);

}  // namespace memprof
