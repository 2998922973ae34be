// Deaths are reported in the driver's log, each once, a little after they became known, to include late messages.
#pragma once

#include <cstdint>
#include <vector>

#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// True while a death has not been reported yet; cheap.
bool AnyUntoldDeath(const StoreState& state);

// The deaths to report now: first seen at least `kPatienceMs` before `now_ms`, or all of them; each once.
inline constexpr int64_t kPatienceMs = 4000;
std::vector<ReportPostMortem> TakeUntold(const std::vector<ReportPostMortem>& deaths, int64_t now_ms, bool all, StoreState& state);

}  // namespace memprof
