// What was requested for an executor, by its own ResourceProfile, and the limit that somebody holds it to. Pure functions; bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "budget/budget.h"
#include "proto/memprof.pb.h"
#include "rollup/state.h"

namespace memprof {

// As the application's start or its settings say it; "": neither does.
std::string_view MasterOf(const StoreState& state);

// Of its own cgroup. Absent: it has none, or the limit of the group was raised since, so that this has room for several containers, and
// stands for the host.
std::optional<uint64_t> CgroupLimit(const proto::ExecutorSnapshot& snapshot);

// The settings, what its ResourceProfile requests instead, and what its agent has seen of its limits. Refers to the state.
BudgetInput RequestOf(const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot, const StoreState& state);

// It lived above a limit that was worked out from what was requested: nobody enforces that figure.
bool LivedAbove(const ExecutorFacts& facts, const Budget& budget);

// Of its cgroup, else what it was granted by a cluster manager that ends whoever takes more. Absent: nobody limits it.
std::optional<uint64_t> EnforcedLimit(const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot, const StoreState& state);

}  // namespace memprof
