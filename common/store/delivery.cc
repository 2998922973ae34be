#include "store/delivery.h"

#include <algorithm>

#include "store/decode.h"
#include "store/snapshots.h"

namespace memprof {
namespace {

void DeliverSnapshot(std::string_view executor_id, const proto::ExecutorSnapshot& snapshot, StoreState& state) {
  if (state.WasDropped(executor_id)) return;
  ExecutorRecord& executor = state.Executor(executor_id);
  proto::ExecutorSnapshot known;
  if (!known.ParseFromArray(executor.snapshot.data(), static_cast<int>(executor.snapshot.size()))) known.Clear();
  JoinSnapshot(snapshot, known);
  executor.snapshot = known.SerializeAsString();
}

void DeliverProfile(std::string_view executor_id, const proto::TaskProfile& profile, StoreState& state) {
  state.jvm_interval_bytes = std::max(state.jvm_interval_bytes, profile.jvm_interval_bytes());
  state.python_interval_bytes = std::max(state.python_interval_bytes, profile.python_interval_bytes());
  for (const proto::Session& session : profile.sessions()) {
    state.session_python_version = std::max(state.session_python_version, session.python_version());
  }
  int64_t id = profile.task_attempt_id();
  if (state.folded_tasks.Contains(id)) return;
  TaskRecord& task = state.tasks[id];
  task.executor = state.interner->String(executor_id);
  if (task.profile) {
    auto order = [](const auto& value, uint64_t sequence) { return std::pair(sequence, value); };
    if (order(profile.final(), profile.sequence()) <= order(task.profile->final, task.profile->sequence)) return;
  }
  if (!task.ended) {  // a TaskEnded is Spark's own word on where the task belongs
    task.stage_id = profile.stage_id();
    task.stage_attempt = profile.stage_attempt();
    task.partition = profile.partition();
  }
  task.profile.emplace(InternProfile(profile, *state.interner, &state.memory));
  if (profile.final()) state.growth.Add(executor_id, profile, *task.profile, *state.interner);
}

// Told twice it is one death; the choice between two accounts of it does not depend on their order.
void DeliverDeath(std::string_view executor_id, const proto::WorkerDeath& death, StoreState& state) {
  state.Executor(executor_id);
  StoreState::WorkerDeathKey key{std::string(executor_id), death.pid(), death.task_attempt_id()};
  auto known = state.worker_deaths.find(key);
  if (known == state.worker_deaths.end() && state.worker_deaths.size() >= StoreState::kMaxWorkerDeaths) {
    ++state.dropped_deaths;
    return;
  }
  std::string bytes = death.SerializeAsString();
  std::string& kept = state.worker_deaths[key];
  kept = std::max(kept, bytes);
}

}  // namespace

Status Deliver(std::string_view bytes, StoreState& state) {
  proto::Envelope envelope;
  if (Status status = DecodeEnvelope(bytes, envelope); !status.ok()) return status;
  switch (envelope.message_case()) {
    case proto::Envelope::kTask:
      if (!state.WasDropped(envelope.executor_id())) state.Executor(envelope.executor_id());  // seen, even before its ExecutorAdded
      if (envelope.task().has_executor()) DeliverSnapshot(envelope.executor_id(), envelope.task().executor(), state);
      DeliverProfile(envelope.executor_id(), envelope.task(), state);
      break;
    case proto::Envelope::kExecutor:
      DeliverSnapshot(envelope.executor_id(), envelope.executor(), state);
      break;
    case proto::Envelope::kSymbols:
      for (const proto::Symbol& symbol : envelope.symbols().symbols()) state.symbols.Add(symbol, *state.interner);
      for (const proto::SourceLine& line : envelope.symbols().source_lines()) state.source.Add(line, *state.interner);
      break;
    case proto::Envelope::kWorkerDeath:
      DeliverDeath(envelope.executor_id(), envelope.worker_death(), state);
      break;
    case proto::Envelope::MESSAGE_NOT_SET:
      break;
  }
  ++state.version;
  return {};
}

}  // namespace memprof
