// The evidence of one death: an executor in a container of its own, killed by SIGKILL, nobody knows by whom.
#pragma once

#include "postmortem/verdict.h"

namespace memprof::testing {

inline constexpr uint64_t kLimit = 1'000'000'007;

inline DeathEvidence Killed(uint64_t used) {
  DeathEvidence evidence;
  evidence.loss = {LossKind::kExit, kExitSigkill};
  evidence.limit_bytes = kLimit;
  evidence.used_bytes = used;
  return evidence;
}

}  // namespace memprof::testing
