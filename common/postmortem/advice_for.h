// What the rules of advice (advice/) need to know about one death.
#pragma once

#include <optional>
#include <vector>

#include "advice/jvm_shortage.h"
#include "postmortem/last_sites.h"
#include "postmortem/verdict.h"
#include "proto/memprof.pb.h"
#include "report/driver_model.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// `death` is complete except for its advice; `tasks` ran there, first the task that the death is charged to; `shortage`: of a
// pool of the JVM; `action`: that a driver's full heap is charged to; `asker`: the task that was refused heap.
std::vector<ReportAdvice> AdviceFor(const ReportPostMortem& death, const ReportExecutor& executor, const proto::ExecutorSnapshot& snapshot,
                                    const std::vector<LastTask>& tasks, const Verdict& verdict, const std::optional<JvmShortage>& shortage,
                                    const std::optional<ReportAction>& action, std::optional<int64_t> asker, const StoreState& state);

}  // namespace memprof
