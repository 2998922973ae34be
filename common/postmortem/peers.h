// The finished tasks of a dead task's stage, and it beside them: whether it is out of the ordinary. What is paid once for each worker or
// executor is left out on both sides: whoever comes first pays it, and after a death that is the next attempt. Bytes. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/operators.h"
#include "postmortem/last_sites.h"
#include "rollup/state.h"

namespace memprof {

struct BesidePeers {
  uint64_t task_bytes = 0;           // the dead task's
  uint64_t once_bytes = 0;           // what was left out of it
  std::vector<uint64_t> peer_bytes;  // of each task of another partition that has succeeded
};

// Live at its last sample, against what its peers held at their peaks and gave back. Left out of it: what a finished task kept at the
// same site.
BesidePeers HeldBesidePeers(const LastTask& dead, const Operators& operators, const StoreState& state);

// Allocated in the heap, for live bytes of single tasks aren't measured there. Left out: broadcast variables.
BesidePeers AllocatedBesidePeers(const LastTask& dead, const Operators& operators, const StoreState& state);

// Of one task, likewise. Precondition: it has a profile.
uint64_t OwnHeap(const LastTask& task, const Operators& operators);

}  // namespace memprof
