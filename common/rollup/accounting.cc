#include "rollup/accounting.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace memprof {
namespace {

Account AccountOfEnd(const TaskFacts& task) {
  if (!task.ended) return Account::kUnknown;
  switch (task.outcome) {
    case TaskOutcome::kSucceeded:
      return Account::kSuperseded;  // until its partition chooses it
    case TaskOutcome::kFailed:
      return Account::kFailed;
    case TaskOutcome::kKilled:
      return Account::kKilled;
    case TaskOutcome::kLost:
      break;
  }
  return Account::kLost;
}

// Smaller is better. Attempts that can't be the one that counts have no rank.
using Rank = std::tuple<int, int64_t, int64_t>;
std::optional<Rank> RankOf(const AccountedTask& task, bool stage_succeeded) {
  const TaskFacts& facts = *task.task;
  if (facts.ended) {
    if (facts.outcome != TaskOutcome::kSucceeded) return std::nullopt;
    return Rank(0, facts.end_ms, task.task_attempt_id);
  }
  if (stage_succeeded && facts.profile && facts.profile->final) return Rank(1, 0, task.task_attempt_id);
  return std::nullopt;
}

}  // namespace

void AccountTasks(const StageFacts& stage, std::vector<AccountedTask>& tasks) {
  bool stage_succeeded = stage.completed && stage.failure_reason == 0;
  std::unordered_map<int32_t, std::pair<Rank, AccountedTask*>> chosen;
  for (AccountedTask& task : tasks) {
    task.account = AccountOfEnd(*task.task);
    int32_t partition = task.task->partition;
    std::optional<Rank> rank = RankOf(task, stage_succeeded);
    if (!rank || stage.folded_partitions.Contains(partition)) continue;
    auto [entry, added] = chosen.try_emplace(partition, *rank, &task);
    if (!added && *rank < entry->second.first) entry->second = {*rank, &task};
  }
  for (auto& [partition, choice] : chosen) choice.second->account = Account::kCounted;
}

std::map<StageKey, std::vector<AccountedTask>> TasksByStage(const StoreState& state) {
  std::map<StageKey, std::vector<AccountedTask>> by_stage;
  for (const auto& [id, task] : state.tasks) {
    if (task.stage_id >= 0) by_stage[{task.stage_id, task.stage_attempt}].push_back({id, &task, Account::kUnknown});
  }
  for (auto& [key, tasks] : by_stage) {
    std::sort(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return a.task_attempt_id < b.task_attempt_id; });
  }
  return by_stage;
}

}  // namespace memprof
