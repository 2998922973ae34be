// Which deaths the store's state knows of, and what each is known by, whatever is learnt of it later. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// Equal for every account of one death.
std::string DeathKey(const ReportPostMortem& death);

// True when `matches` is, of the key of any death; cheap beside PostMortems().
bool AnyDeath(const StoreState& state, const std::function<bool(const std::string& key)>& matches);

// Workers that died, but not because Spark ended them with their tasks.
void ForEachWorkerDeath(const StoreState& state,
                        const std::function<void(const std::string& executor_id, const proto::WorkerDeath& death)>& visit);

// Tasks that failed of memory that was refused to a worker which did not die of it.
void ForEachRefusal(const StoreState& state, const std::function<void(const std::string& executor_id, int64_t task_attempt_id,
                                                                      const TaskRecord& task, const IncidentRecord& refusal)>& visit);

}  // namespace memprof
