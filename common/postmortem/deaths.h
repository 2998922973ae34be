// The deaths in the store's state. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "proto/memprof.pb.h"
#include "rollup/state.h"

namespace memprof {

// What is known of a death without writing its post-mortem.
struct KnownDeath {
  std::string key;        // report/death_keys.h
  int64_t time_ms = 0;    // roughly, as it was first told; 0 of a job that was aborted
  bool survived = false;  // memory or a result was refused, as in ReportPostMortem
};

// True when `matches` is true for any death; cheap compared with PostMortems().
bool AnyDeath(const StoreState& state, const std::function<bool(const KnownDeath& death)>& matches);

// Workers that died, except those that Spark ended with their tasks.
void ForEachWorkerDeath(const StoreState& state,
                        const std::function<void(const std::string& executor_id, const proto::WorkerDeath& death)>& visit);

// Tasks that failed because their worker was refused memory, where the worker did not die of it.
void ForEachRefusal(const StoreState& state, const std::function<void(const std::string& executor_id, int64_t task_attempt_id,
                                                                      const TaskFacts& task, const InternedIncident& refusal)>& visit);

}  // namespace memprof
