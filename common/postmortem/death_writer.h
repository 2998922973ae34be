// DeathWriter: writes the post-mortem of one death from all that the store knows about it. Refers to the state. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/named_stacks.h"
#include "facts/operators.h"
#include "postmortem/heap_errors.h"
#include "postmortem/lookups.h"
#include "postmortem/peers.h"
#include "postmortem/verdict.h"
#include "proto/memprof.pb.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

// kInShort: as far as its headline and its place among others need; no sites, regions, retained heap or advice.
enum class DeathDetail { kInShort, kInFull };

class DeathWriter {
 public:
  static constexpr size_t kRetainedShown = 10;

  // `awaits_names` becomes true when a frame shown awaits a name.
  DeathWriter(const StoreState& state, bool& awaits_names);

  ReportPostMortem OfExecutor(const ReportExecutor& executor, const ExecutorFacts& facts, DeathDetail detail);
  ReportPostMortem OfWorker(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::WorkerDeath& worker,
                            DeathDetail detail);
  // Of the driver's own Python, where nobody but its JVM could tell of it: spark-submit was started by hand.
  ReportPostMortem OfDriversPython(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::WorkerDeath& python,
                                   DeathDetail detail);
  // Of a task, or of another thread, that met an OutOfMemoryError of the heap which its executor survived.
  ReportPostMortem OfHeapError(const ReportExecutor& executor, const ExecutorFacts& facts, const SurvivedHeapError& survived,
                               DeathDetail detail);
  // Of a task that failed because memory was refused to its worker, which lived on to say so.
  ReportPostMortem OfRefusal(const ReportExecutor& executor, const ExecutorFacts& facts, int64_t task_attempt_id, const TaskFacts& task,
                             const InternedIncident& refusal, DeathDetail detail);

 private:
  void PutMoment(const ReportExecutor& executor, const proto::Moment& moment, DeathDetail detail, ReportPostMortem& death) const;
  // What is known of the process that died, of its limit and of the tick before.
  DeathEvidence PutProcess(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::WorkerDeath& process,
                           DeathDetail detail, ReportPostMortem& death) const;
  void PutTask(const std::vector<LastTask>& tasks, ReportPostMortem& death) const;
  // `at_ms`: by the executor's clock, as the tasks' own times.
  void PutSites(const std::vector<LastTask>& tasks, int64_t at_ms, ReportPostMortem& death) const;
  void PutAttempt(const LastTask& attempt, const ExecutorFacts& facts, ReportPostMortem& death) const;
  void PutStack(StackId stack, ReportPostMortem& death) const;
  void PutHeapError(const proto::HeapShortage& error, std::vector<LastTask>& tasks, ReportPostMortem& death) const;
  void PutAsker(const proto::HeapShortage& error, std::vector<LastTask>& tasks, ReportPostMortem& death) const;
  void PutKernelKills(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot,
                      const std::vector<proto::WorkerDeath>& dead_before, DeathEvidence& evidence);
  void PutKillsInCgroup(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot,
                        const std::vector<proto::WorkerDeath>& dead_before, DeathEvidence& evidence);
  void PutAdviceOfThen(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::HeapShortage& error,
                       const std::vector<LastTask>& askers, const std::optional<ReportAction>& action, ReportPostMortem& death);
  std::optional<ReportAction> ChargeAction(const ReportExecutor& executor, const proto::HeapShortage& error, ReportPostMortem& death) const;
  SparkSettings SettingsOf(const ReportAction& action) const;
  const Operators& OperatorsNow();  // made when they are asked for first: a headline needs none

  const StoreState& state_;
  bool& awaits_names_;
  NamedStacks stacks_;
  std::optional<Operators> operators_;
  Peers peers_{state_};
  Lookups lookups_;
};

}  // namespace memprof
