// An end of which nobody says who caused it: a SIGKILL, or no exit code. What was in use then is the evidence. Pure function.
#pragma once

#include <cstdint>

#include "postmortem/verdict.h"

namespace memprof {

// A process fills memory that was free at this speed: the kernel's own kills were met at it (integration/chaos/fast.py).
inline constexpr uint64_t kFillsPerSecond = 1 << 30;

// Of a container that fills up, the last word is of this share of its limit at least: they come at 85 %, then at each further 2 %.
inline constexpr double kFilled = 0.9;

Verdict ByUse(const DeathEvidence& evidence);

}  // namespace memprof
