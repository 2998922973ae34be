// A stage's tasks one by one: a row for each attempt, and how the figures of those that count are distributed. Pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "facts/facts.h"
#include "facts/interner.h"
#include "facts/operators.h"
#include "report/model.h"
#include "rollup/accounting.h"

namespace memprof {

FoldedTaskRow RowOf(const AccountedTask& task, const Operators& operators);

// Fills `task_rows`, heaviest first, and `distributions`, which are empty where rows were dropped, because the remaining tasks
// would not represent all. `tasks` are those that were not folded.
void PutTaskRows(const Interner& interner, const Operators& operators, const StageFacts& stage, const std::vector<AccountedTask>& tasks,
                 ReportStage& row);

// Keeps the rows of the `keep` heaviest folded tasks; returns how many were dropped.
size_t KeepHeaviestRows(size_t keep, StageFacts& stage);

}  // namespace memprof
