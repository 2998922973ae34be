// Attempts that had failed before an executor died, of the stages that it worked on. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "postmortem/last_sites.h"
#include "rollup/state.h"

namespace memprof {

// Where no task of `ran` has sent a profile with sites: of the failed attempts of the same stages the one that allocated most. Where
// none ran, `failed` says the stage: the task that failed last on the executor. `gone_ms`: only of those that failed before. Null: there
// is none, or none is needed.
std::optional<LastTask> HeaviestFailedAttempt(const StoreState& state, const std::vector<LastTask>& ran,
                                              const std::optional<LastTask>& failed, int64_t gone_ms);

}  // namespace memprof
