// Accounting: which attempt of a partition counts. A stage row is one stage attempt; its sums include the one successful attempt
// of each partition. All other attempts really used memory too, and are kept separately. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "facts/facts.h"
#include "rollup/state.h"

namespace memprof {

struct AccountedTask {
  int64_t task_attempt_id = 0;
  const TaskFacts* task = nullptr;
  Account account = Account::kUnknown;
};

// Decides `account` of every task of one stage attempt. Of two successful attempts of a partition the first to end
// counts (Spark takes the first result), by id where they ended in the same millisecond; a partition whose successful
// attempt was folded already is taken.
//
// The listener bus may drop events under load. A stage that completed without failure proves that each of its
// partitions succeeded: one with no known success takes its first attempt with a final profile and no reported end.
void AccountTasks(const StageFacts& stage, std::vector<AccountedTask>& tasks);

// Tasks with detail, by stage attempt, each list in order of ids; all `account`s undecided. Tasks without a stage (their
// TaskEnded has not come, and their profile did not say) are left out.
std::map<StageKey, std::vector<AccountedTask>> TasksByStage(const StoreState& state);

}  // namespace memprof
