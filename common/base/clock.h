// The clocks: one for intervals, one for people, one for what a thread spends. None takes a lock; callable from hooks. The first
// two go through the vDSO, the third is a system call.
#pragma once

#include <time.h>

#include <cstdint>

namespace memprof {

// Since boot; never jumps.
inline int64_t MonotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// CPU time of the calling thread.
inline int64_t ThreadCpuNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Since the epoch; jumps when the clock is set.
inline int64_t EpochMs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// One instant by both: for people, and to order it among others of its host. In milliseconds.
struct Instant {
  int64_t time_ms = 0;   // since the epoch
  int64_t clock_ms = 0;  // since boot
};

inline Instant Now() { return {EpochMs(), MonotonicNs() / 1'000'000}; }

}  // namespace memprof
