// Joins what an executor said about its peaks at different times. A snapshot has peaks since the executor's start, but one inside
// a task's profile may have been cut to size. So the larger figure and the longer list are kept, whichever snapshot has them. The
// join is commutative, associative and idempotent: order and repetition change nothing.
#pragma once

#include "proto/memprof.pb.h"

namespace memprof {

// At most so many processes are kept: the JVM's and Python's with the largest peaks, then programs.
inline constexpr int kMaxProcesses = 64;
// Of which so many are programs: a task may start one for every row, each larger than a worker.
inline constexpr int kMaxPrograms = 16;

// More than any JVM has.
inline constexpr int kMaxCollectors = 32;

void JoinSnapshot(const proto::ExecutorSnapshot& other, proto::ExecutorSnapshot& snapshot);

}  // namespace memprof
