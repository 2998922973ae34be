// What a dead Python worker was doing: the task session that it left open in its box. A worker that ends normally has closed its
// sessions. Thread-safe (no state).
#pragma once

#include <cstdint>
#include <optional>

#include "boxes/executor_boxes.h"
#include "proto/memprof.pb.h"

namespace memprof {

// Its pid, task and figures; nothing when it died between tasks or left no box.
std::optional<proto::WorkerDeath> DeathOfWorker(const BoxPlace& place, int32_t pid, uint64_t start_ticks);

}  // namespace memprof
