// Joins what an executor said of its peaks at different times. A snapshot holds peaks since the executor's start, but one
// that rode in a task's profile may have been cut to size; so the larger figure and the fuller list are kept, from
// whichever it came. The join is commutative, associative and idempotent: order and repetition change nothing.
#pragma once

#include "proto/memprof.pb.h"

namespace memprof {

// At most so many processes are kept, those with the largest peaks.
inline constexpr int kMaxProcesses = 64;

// No JVM has as many.
inline constexpr int kMaxCollectors = 32;

void JoinSnapshot(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot);

}  // namespace memprof
