// The deaths in the store's state, and a key for each, which later information about it does not change. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// Equal for all reports of one death.
std::string DeathKey(const ReportPostMortem& death);

// True when `matches` is true for the key of any death; cheap compared with PostMortems().
bool AnyDeath(const StoreState& state, const std::function<bool(const std::string& key)>& matches);

// Workers that died, except those that Spark ended with their tasks.
void ForEachWorkerDeath(const StoreState& state,
                        const std::function<void(const std::string& executor_id, const proto::WorkerDeath& death)>& visit);

// Tasks that failed because their worker was refused memory, where the worker did not die of it.
void ForEachRefusal(const StoreState& state, const std::function<void(const std::string& executor_id, int64_t task_attempt_id,
                                                                      const TaskRecord& task, const IncidentRecord& refusal)>& visit);

// Sorts them by time. Of more than `most` those stay that are the newest, half of them, and of the others those that used most. Returns
// how many are gone.
size_t KeepNewestAndLargest(size_t most, std::vector<ReportPostMortem>& deaths);

}  // namespace memprof
