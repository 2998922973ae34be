// What the rules of advice (advice/) need to know about one death.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "advice/jvm_shortage.h"
#include "facts/cached_data.h"
#include "facts/operators.h"
#include "postmortem/last_sites.h"
#include "postmortem/peers.h"
#include "postmortem/verdict.h"
#include "proto/memprof.pb.h"
#include "report/driver_model.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

struct DeathFacts {
  const ReportPostMortem& death;  // complete except for its advice
  const ReportExecutor& executor;
  const proto::ExecutorSnapshot& snapshot;  // as of then
  const std::vector<LastTask>& tasks;       // that ran there, first the task that the death is charged to
  Verdict verdict;
  std::optional<JvmShortage> shortage;                 // of a pool of the JVM
  std::optional<ReportAction> action;                  // that a driver's full heap is charged to
  std::optional<int64_t> asker;                        // the task that was refused heap
  std::optional<std::array<LargestCached, 2>> cached;  // there then, on-heap and off-heap; nothing: of now, or of its end
};

std::vector<ReportAdvice> AdviceFor(const DeathFacts& facts, const Operators& operators, Peers& peers, const StoreState& state);

}  // namespace memprof
