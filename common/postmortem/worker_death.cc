// DeathWriter's post-mortems of Python workers: of one that died, and of one that memory was refused to.
#include <algorithm>
#include <cstdlib>

#include "postmortem/advice_for.h"
#include "postmortem/death_writer.h"
#include "postmortem/headlines.h"
#include "postmortem/incidents.h"
#include "postmortem/killing_limit.h"
#include "rollup/parsed_snapshot.h"

namespace memprof {
namespace {

// The clocks of two hosts, and Spark's patience with a worker (spark.python.task.killTimeout, 2 s).
constexpr int64_t kSameTimeMs = 10'000;

// Spark ends a worker whose task is cancelled, or needs no more rows.
bool MayHaveBeenEnded(const TaskFacts& task, int64_t died_ms) {
  const bool in_order = task.outcome == TaskOutcome::kKilled || task.outcome == TaskOutcome::kSucceeded;
  return task.ended && in_order && std::abs(task.end_ms - died_ms) <= kSameTimeMs;
}

}  // namespace

DeathEvidence DeathWriter::PutProcess(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::WorkerDeath& process,
                                      DeathDetail detail, ReportPostMortem& death) const {
  death.pid = process.pid();
  if (process.start_ticks() != 0) death.start_ticks = process.start_ticks();
  death.time_ms = facts.clock.ToDriver(process.time_ms());
  death.limit_bytes = process.has_limit_bytes() ? process.limit_bytes() : KillingLimit(executor);
  if (process.has_before()) {
    PutMoment(executor, process.before(), detail, death);
    death.last_sample_age_ms = std::max<int64_t>(0, process.time_ms() - process.before().time_ms());
  }
  DeathEvidence evidence;
  evidence.limit_bytes = death.limit_bytes;
  evidence.used_bytes = death.used_bytes;
  evidence.sample_age_ms = death.last_sample_age_ms;
  if (process.has_oom_kills()) evidence.kernel_kills = process.oom_kills();
  PutHost(executor, process.before(), state_.configuration, evidence);
  if (process.has_limit_bytes()) evidence.limit_is_hosts = evidence.limit_is_unseen = false;
  return evidence;
}

ReportPostMortem DeathWriter::OfWorker(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::WorkerDeath& worker,
                                       DeathDetail detail) {
  ReportPostMortem death;
  death.executor_id = executor.id;
  death.process = "python-worker";
  death.started_by_task = worker.started_by_task();
  if (worker.has_program()) death.program = worker.program().empty() ? "(withheld)" : worker.program();
  death.task_attempt_id = worker.task_attempt_id();
  death.stage_id = worker.stage_id();
  WorkerEvidence evidence;
  evidence.death = PutProcess(executor, facts, worker, detail, death);
  evidence.signal = worker.signal();
  evidence.death.counted_on_host = worker.counted_on_host();
  evidence.death.counted_by = "its executor";
  evidence.rival = lookups_.RivalOf(executor.id, worker);
  evidence.outlived_kill_ms = worker.outlived_kill_ms();
  std::vector<LastTask> tasks;
  const auto task = state_.tasks.find(worker.task_attempt_id());
  if (task != state_.tasks.end()) {
    death.reason = state_.interner->StringAt(task->second.error);
    evidence.was_ended = death.program.empty() && MayHaveBeenEnded(task->second, death.time_ms);
    if (task->second.profile) tasks.push_back({task->first, &task->second, LiveBytesOf(task->second)});
    if (const InternedIncident* end = FatalSignalOf(task->second, worker.pid(), worker.start_ticks())) {
      evidence.signal = end->signal;
      PutStack(end->stack, death);
      const InternedIncident* refusal = RefusalOf(task->second, worker.pid(), worker.start_ticks());
      evidence.was_refused = refusal != nullptr && LedTo(*refusal, *end);
      if (evidence.was_refused) death.address_space = AddressSpaceOf(*refusal);
    }
  }
  if (evidence.signal != 0) death.exit_code = kSignalBase + evidence.signal;
  const Verdict verdict = JudgeWorker(evidence);
  death.out_of_memory = verdict.out_of_memory;
  death.unknown = verdict.unknown;
  death.how = verdict.how;
  if (detail == DeathDetail::kInFull) PutSites(tasks, worker.time_ms(), death);
  death.headline = WorkerHeadline(death, verdict, evidence.signal);
  if (detail == DeathDetail::kInFull && death.out_of_memory)
    death.advice = AdviceFor({.death = death, .executor = executor, .snapshot = *ParsedSnapshot(facts), .tasks = tasks, .verdict = verdict},
                             OperatorsNow(), peers_, state_);
  return death;
}

ReportPostMortem DeathWriter::OfRefusal(const ReportExecutor& executor, const ExecutorFacts& facts, int64_t task_attempt_id,
                                        const TaskFacts& task, const InternedIncident& refusal, DeathDetail detail) {
  ReportPostMortem death;
  death.executor_id = executor.id;
  death.process = "python-worker";
  death.pid = refusal.pid;
  if (refusal.start_ticks != 0) death.start_ticks = refusal.start_ticks;
  death.started_by_task = refusal.started_by_task;
  death.task_attempt_id = task_attempt_id;
  if (task.stage_id >= 0) death.stage_id = task.stage_id;
  death.time_ms = facts.clock.ToDriver(refusal.time_ms);
  death.reason = state_.interner->StringAt(task.error);
  death.out_of_memory = true;
  death.survived = true;
  death.address_space = AddressSpaceOf(refusal);
  death.limit_bytes = death.address_space->limit_bytes;
  death.used_bytes = death.address_space->virtual_bytes;
  death.last_sample_age_ms = 0;
  PutStack(refusal.stack, death);
  death.how = RefusalEvidence(*death.address_space);
  death.headline = RefusalHeadline(death);
  if (detail == DeathDetail::kInShort) return death;
  const std::vector<LastTask> tasks{{task_attempt_id, &task, LiveBytesOf(task)}};
  PutSites(tasks, refusal.time_ms, death);
  death.advice =
      AdviceFor({.death = death, .executor = executor, .snapshot = *ParsedSnapshot(facts), .tasks = tasks}, OperatorsNow(), peers_, state_);
  return death;
}

}  // namespace memprof
