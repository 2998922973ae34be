#include "postmortem/death_writer.h"

#include <algorithm>
#include <cstdint>

#include "postmortem/driver_heap.h"
#include "postmortem/regions_then.h"
#include "rollup/driver_rows.h"
#include "rollup/executor_rows.h"
#include "rollup/heap_shortages.h"
#include "rollup/retained.h"

namespace memprof {

DeathWriter::DeathWriter(const StoreState& state, bool& awaits_names)
    : state_(state), awaits_names_(awaits_names), stacks_(*state.interner, state.symbols), lookups_(state) {}

void DeathWriter::PutMoment(const ReportExecutor& executor, const proto::Moment& moment, DeathDetail detail,
                            ReportPostMortem& death) const {
  death.used_bytes = moment.used_bytes();
  death.processes = MomentRow(moment).processes;
  if (detail == DeathDetail::kInFull) death.regions = RegionsThen(executor, moment);
}

// The task that the death is charged to.
void DeathWriter::PutTask(const std::vector<LastTask>& tasks, ReportPostMortem& death) const {
  if (tasks.empty() || death.task_attempt_id) return;
  death.task_attempt_id = tasks.front().task_attempt_id;
  if (tasks.front().task->stage_id >= 0) death.stage_id = tasks.front().task->stage_id;
}

void DeathWriter::PutSites(const std::vector<LastTask>& tasks, int64_t at_ms, ReportPostMortem& death) const {
  death.sites = SitesAtLastSample(tasks, at_ms, *state_.interner, stacks_, kSitesShown, awaits_names_);
}

void DeathWriter::PutAttempt(const LastTask& attempt, const ExecutorFacts& facts, ReportPostMortem& death) const {
  PutSites({attempt}, facts.clock.FromDriver(attempt.task->end_ms), death);
  if (death.sites.empty()) return;
  death.sites_of_attempt = attempt.task_attempt_id;
  if (!death.stage_id) death.stage_id = attempt.task->stage_id;
}

void DeathWriter::PutStack(StackId stack, ReportPostMortem& death) const {
  StackId shown = stacks_.ShownStack({stack, 1, Origin::kPython});  // as of a function: without PySpark's frames around it
  if (shown == 0) return;
  awaits_names_ = awaits_names_ || stacks_.AwaitsName(shown);
  death.stack = stacks_.Frames(shown);
}

void DeathWriter::PutHeapError(const proto::HeapShortage& error, std::vector<LastTask>& tasks, ReportPostMortem& death) const {
  death.heap = ShortageRow(error);
  if (error.has_retained()) death.retained = RetainedRow(error.retained(), kRetainedShown);
  PutAsker(error, tasks, death);
}

// The task whose thread asked comes first: it may have failed of the error before the executor was gone.
void DeathWriter::PutAsker(const proto::HeapShortage& error, std::vector<LastTask>& tasks, ReportPostMortem& death) const {
  death.stack = ShortageStack(error);
  if (error.task_attempt_id() < 0) return;
  death.task_attempt_id = error.task_attempt_id();
  death.stage_id = error.stage_id();
  const auto task = state_.tasks.find(error.task_attempt_id());
  if (task != state_.tasks.end()) PutFirst({task->first, &task->second, LiveBytesOf(task->second)}, tasks);
}

// The action of the user's program that filled the driver's heap. In local mode tasks fill the same heap. An action that ran but can't
// have filled it is only mentioned.
std::optional<ReportAction> DeathWriter::ChargeAction(const ReportExecutor& executor, const proto::HeapShortage& error,
                                                      ReportPostMortem& death) const {
  if (executor.id != "driver") return std::nullopt;
  std::optional<ReportAction> action = state_.actions.At(error.time_ms());
  if (!action) return std::nullopt;
  PutPartitionsAndCells(state_, *action);
  const bool of_task = error.task_attempt_id() >= 0;
  const uint64_t heap = executor.heap_max_bytes.value_or(0);
  const std::optional<ReportRetained> rows = error.has_retained() ? std::optional(RetainedRow(error.retained(), SIZE_MAX)) : std::nullopt;
  const ReportRetained* retained = rows ? &*rows : nullptr;
  const bool may_fill = MayFill(heap, *action, ShowsResults(death, retained, heap)) && (!of_task || ExpectedResults(*action) >= heap / 10);
  const bool held_others = HeldOtherThings(death, retained);
  if (may_fill && !held_others) return action;
  if (!of_task) death.how += held_others ? OthersPhrase(*action) : BesidePhrase(*action);
  return std::nullopt;
}

const Operators& DeathWriter::OperatorsNow() { return operators_ ? *operators_ : operators_.emplace(*state_.interner); }

SparkSettings DeathWriter::SettingsOf(const ReportAction& action) const {
  return state_.SettingsOf(action.stages.empty() ? std::nullopt : std::optional(action.stages.back()));
}

}  // namespace memprof
