// Judges the end of an executor by a container of its pod that failed, and that is not Spark's own, or may not be. Pure function.
#pragma once

#include "postmortem/verdict.h"

namespace memprof {

// Whether it ended as a JVM does that met an OutOfMemoryError.
bool EndsOfOutOfMemory(const PodContainer& container);

// `evidence.loss.container` is set.
Verdict JudgePod(const DeathEvidence& evidence);

}  // namespace memprof
