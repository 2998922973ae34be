// The finished tasks of a dead task's stage, and it beside them: whether it is out of the ordinary. What is paid once for each worker or
// executor is left out on both sides: whoever comes first pays it, and after a death that is the next attempt. Bytes.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
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

// A stage is looked at once, however many of its tasks have died. The facts must not change meanwhile. Not thread-safe.
class Peers {
 public:
  explicit Peers(const StoreState& state) : state_(state) {}

  // Live at its last sample, against what its peers held at their peaks and gave back. Left out of it: what a finished task kept at the
  // same site.
  BesidePeers Held(const LastTask& dead, const Operators& operators);
  // Allocated in the heap, for live bytes of single tasks aren't measured there. Left out: broadcast variables.
  BesidePeers Allocated(const LastTask& dead, const Operators& operators);

 private:
  struct Peer {
    int64_t id;  // -1: its detail was dropped
    int32_t partition;
    uint64_t held_bytes;  // kUnmeasured: a session of it is known not to the end
    uint64_t heap_bytes;

    bool IsBeside(const LastTask& dead) const { return id != dead.task_attempt_id && partition != dead.task->partition; }
  };
  struct Stage {
    void Add(int64_t id, int32_t partition, const TaskFigures& figures, bool partial);

    std::vector<Peer> peers;  // tasks that have succeeded
  };

  using Kept = std::unordered_map<SiteKey, uint64_t, SiteKeyHash>;  // by site of Python's, the most that one of them kept there

  const Stage& Of(int32_t stage_id, const Operators& operators);
  const Kept& KeptIn(int32_t stage_id);

  const StoreState& state_;
  std::map<int32_t, Stage> stages_;  // by id, of all attempts; likewise the next
  std::map<int32_t, Kept> kept_;
};

// Of one task, likewise. Precondition: it has a profile.
uint64_t OwnHeap(const LastTask& task, const Operators& operators);

}  // namespace memprof
