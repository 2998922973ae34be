// The watcher's latest tick as a message: what a post-mortem compares with the limit. Cheap enough for every tick, because it uses
// only what the tick has read already.
#pragma once

#include "proto/memprof.pb.h"
#include "watch/process_watch.h"

namespace memprof {

// Processes in RSS, without rows. Without a cgroup `used` is their sum, and nothing is unattributed.
proto::Moment LastMoment(const ProcessWatch& processes, uint64_t used);

}  // namespace memprof
