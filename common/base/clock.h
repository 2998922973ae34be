// The two clocks: one for intervals, one for people. Both go through the vDSO: no system call, no lock, callable from hooks.
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

// Since the epoch; jumps when somebody sets the clock.
inline int64_t EpochMs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace memprof
