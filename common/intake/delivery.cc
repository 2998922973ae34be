#include "intake/delivery.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "base/typed_code.h"
#include "facts/interned_profile.h"
#include "facts/left_bytes.h"
#include "intake/decode.h"
#include "intake/host_kills.h"
#include "intake/snapshots.h"
#include "rollup/parsed_snapshot.h"
#include "rollup/time_lines.h"
#include "timeline/packing.h"

namespace memprof {
namespace {

// Only snapshots show the executor's clock: an executor sends none of another one's.
void DeliverClock(std::string_view executor_id, const proto::Moment& last, const std::optional<Instant>& arrived, StoreState& state) {
  if (arrived && !state.WasDropped(executor_id)) state.Executor(executor_id).clock.Arrived({last.time_ms(), last.clock_ms()}, *arrived);
}

void DeliverSnapshot(std::string_view executor_id, const proto::ExecutorSnapshot& snapshot, StoreState& state) {
  if (state.WasDropped(executor_id)) return;
  ExecutorFacts& executor = state.Executor(executor_id);
  const ParsedSnapshot known(executor);
  JoinSnapshot(snapshot, *known);
  executor.snapshot = known->SerializeAsString();
  if (known->has_at_peak()) executor.peak_used_bytes = known->at_peak().used_bytes();
  for (const proto::Process& process : known->processes()) {
    if (!process.kind().starts_with("python")) continue;
    executor.peak_python_bytes = std::max(executor.peak_python_bytes.value_or(0), process.peak_rss_bytes());
  }
  if (known->has_last()) executor.last_used_bytes = known->last().used_bytes();
}

// The latest, by a clock that is never set back; of two of one time always the same.
template <typename Message, typename Order>
void KeepLast(const Message& message, std::pmr::string& kept, Order&& order) {
  Message known;
  const std::string bytes = message.SerializeAsString();
  const bool has_known = !kept.empty() && known.ParseFromArray(kept.data(), static_cast<int>(kept.size()));
  if (!has_known || std::tuple(order(known), std::string_view(kept)) < std::tuple(order(message), std::string_view(bytes))) kept = bytes;
}

template <typename Message>
void KeepLatest(const Message& message, std::pmr::string& kept) {
  KeepLast(message, kept, [](const Message& value) { return std::tuple(value.clock_ms(), value.time_ms()); });
}

void DeliverRetained(std::string_view executor_id, const proto::RetainedHeap& retained, StoreState& state) {
  if (!state.WasDropped(executor_id)) KeepLatest(retained, state.Executor(executor_id).retained);
}

void DeliverLeft(std::string_view executor_id, const proto::LeftMemory& left, LeftMessages ExecutorFacts::*part, StoreState& state) {
  if (state.WasDropped(executor_id)) return;
  LeftMessages& known = state.Executor(executor_id).*part;
  KeepLatest(left, known.latest);
  KeepLast(left, known.peak, [](const proto::LeftMemory& value) { return std::tuple(LeftBytes(value), value.time_ms()); });
}

bool IsPythons(Origin origin) { return origin == Origin::kPython; }

// The JVM's part of `profile`, which was sent before the executor's end, in place of what `recovered` knows of it; Python's part is that
// of the boxes.
void TakeJvmsPart(InternedProfile& profile, InternedProfile& recovered) {
  std::erase_if(recovered.sites, [](const InternedSite& site) { return !IsPythons(site.key.origin); });
  std::erase_if(recovered.remainders, [](const auto& remainder) { return !IsPythons(remainder.first); });
  for (const InternedSite& site : profile.sites) {
    if (!IsPythons(site.key.origin)) recovered.sites.push_back(site);
  }
  for (const auto& [origin, figures] : profile.remainders) {
    if (!IsPythons(origin)) recovered.remainders.emplace_back(origin, figures);
  }
  recovered.jvm_interval_bytes = profile.jvm_interval_bytes;
  recovered.gc_stopped_ms = profile.gc_stopped_ms;
  recovered.spark_memory = std::move(profile.spark_memory);
  recovered.sequence = profile.sequence;
}

// What comes of a dead executor's boxes and what it sent itself make one profile, in whichever order they come.
void JoinRecovered(const proto::TaskProfile& profile, TaskFacts& task, StoreState& state) {
  InternedProfile& known = *task.profile;
  InternedProfile fresh = InternProfile(profile, *state.interner, &state.memory);
  if (known.recovered) {
    if (!fresh.recovered && fresh.sequence > known.sequence) TakeJvmsPart(fresh, known);
  } else {
    TakeJvmsPart(known, fresh);
    task.profile.emplace(std::move(fresh));
  }
}

void DeliverProfile(std::string_view executor_id, const proto::TaskProfile& profile, uint64_t message_bytes, StoreState& state) {
  state.jvm_interval_bytes = std::max(state.jvm_interval_bytes, profile.jvm_interval_bytes());
  state.python_interval_bytes = std::max(state.python_interval_bytes, profile.python_interval_bytes());
  for (const proto::Session& session : profile.sessions()) {
    state.session_python_version = std::max(state.session_python_version, session.python_version());
  }
  int64_t id = profile.task_attempt_id();
  if (state.folded_tasks.Contains(id)) return;
  TaskFacts& task = state.tasks[id];
  task.executor = state.interner->String(executor_id);
  if (profile.final()) task.message_bytes = message_bytes;
  const bool is_joined = task.profile && (task.profile->recovered || profile.recovered()) && !task.profile->final && !profile.final();
  if (is_joined) {
    JoinRecovered(profile, task, state);
    return;
  }
  if (task.profile) {
    // The JVM's figures are gone when the final one was made: whatever is made later, as of a worker that was found dead, has less.
    if (std::pair(profile.final(), profile.sequence()) <= std::pair(task.profile->final, task.profile->sequence)) return;
  }
  if (!task.ended) {  // a TaskEnded is Spark's own word on where the task belongs
    task.stage_id = profile.stage_id();
    task.stage_attempt = profile.stage_attempt();
    task.partition = profile.partition();
  }
  task.profile.emplace(InternProfile(profile, *state.interner, &state.memory));
  if (profile.final()) state.growth.Add(executor_id, profile, *task.profile, *state.interner);
}

void DeliverDeath(std::string_view executor_id, const proto::WorkerDeath& death, StoreState& state) {
  if (state.WasDropped(executor_id)) {
    ++state.dropped_deaths;
    return;
  }
  state.Executor(executor_id);
  WorkerDeathKey key{std::string(executor_id), death.pid(), death.start_ticks(), death.task_attempt_id()};
  if (!state.worker_deaths.Put(std::move(key), death)) ++state.dropped_deaths;
}

// What its executor used, ran and had cached then: it may live on for hours, and be asked when the report is made. An error is told
// twice, the second time with what the heap held: what is known as of the first stays.
void PutThen(std::string_view executor_id, const HeapShortageKey& key, const StoreState& state, proto::HeapShortage& shortage) {
  constexpr int64_t kOfThatTimeMs = 15'000;  // while tasks run, a sample comes with every heartbeat (10 s)
  constexpr int kMostRunning = 256;
  shortage.clear_last();
  shortage.clear_cached();
  shortage.clear_running();
  if (shortage.nearly_full()) return;
  if (const std::optional<proto::HeapShortage> told = state.heap_shortages.Find(key)) {
    if (told->has_last()) *shortage.mutable_last() = told->last();
    *shortage.mutable_cached() = told->cached();
    *shortage.mutable_running() = told->running();
    return;
  }
  const auto facts = state.executors.find(executor_id);
  if (facts == state.executors.end() || !state.heap_shortages.HasRoom()) return;
  const StringId here = state.interner->String(executor_id);
  for (const auto& [id, task] : state.tasks) {
    const bool runs = task.executor == here && !task.ended && !(task.profile && task.profile->final);
    if (runs && shortage.running_size() < kMostRunning) shortage.add_running(id);
  }
  const ParsedSnapshot snapshot(facts->second);
  const bool is_of_then = snapshot->has_last() && std::abs(snapshot->last().time_ms() - shortage.time_ms()) <= kOfThatTimeMs;
  if (!is_of_then) return;
  *shortage.mutable_last() = snapshot->last();
  for (const bool off_heap : {false, true}) {
    const LargestCached largest = state.cached.LargestIn(executor_id, off_heap);
    proto::CachedThen& cached = *shortage.add_cached();
    cached.set_rdd_id(largest.rdd_id);
    cached.set_bytes(largest.bytes);
    cached.set_of_bytes(largest.of_bytes);
    cached.set_broadcast_bytes(largest.broadcast_bytes);
  }
}

void DeliverShortage(std::string_view executor_id, proto::HeapShortage& shortage, StoreState& state) {
  if (!state.WasDropped(executor_id)) state.Executor(executor_id);
  // It may be newer than any other message of an executor that was killed then.
  if (shortage.nearly_full() && shortage.has_retained()) DeliverRetained(executor_id, shortage.retained(), state);
  const HeapShortageKey key{std::string(executor_id), shortage.time_ms(), shortage.task_attempt_id()};
  PutThen(executor_id, key, state, shortage);
  if (!state.heap_shortages.Put(key, shortage)) ++state.dropped_deaths;
}

void DeliverTimeLine(std::string_view executor_id, const proto::TimeLine& message, StoreState& state) {
  if (state.WasDropped(executor_id)) return;
  if (const auto samples = UnpackSamples(message)) AddSamples(*samples, state.Executor(executor_id), state);
}

void DeliverSource(const proto::DriverSource& source, StoreState& state) {
  constexpr std::string_view kCell = "notebook cell ";
  constexpr size_t kMostBytesOfCell = 64, kMostBytesOfPath = 1024;
  const std::string& file = source.file();
  const bool of_cell = source.number() != 0;
  if (of_cell ? !file.starts_with(kCell) : !file.starts_with('/') && !IsTypedAtPrompt(file)) return;
  if (file.size() > (file.starts_with('/') ? kMostBytesOfPath : kMostBytesOfCell)) return;
  if (of_cell) state.interner->ShowAs(state.interner->String(file), std::string(kCell) + std::to_string(source.number()));
  state.source.AddOfDriver(source);
}

}  // namespace

Status Deliver(std::string_view bytes, StoreState& state, const std::optional<Instant>& arrived) {
  proto::Envelope envelope;
  if (Status status = DecodeEnvelope(bytes, envelope); !status.ok()) return status;
  switch (envelope.message_case()) {
    case proto::Envelope::kTask:
      if (!state.WasDropped(envelope.executor_id())) state.Executor(envelope.executor_id());  // seen, even before its ExecutorAdded
      if (envelope.task().has_executor()) DeliverSnapshot(envelope.executor_id(), envelope.task().executor(), state);
      DeliverProfile(envelope.executor_id(), envelope.task(), bytes.size(), state);
      break;
    case proto::Envelope::kExecutor:
      DeliverClock(envelope.executor_id(), envelope.executor().last(), arrived, state);
      DeliverSnapshot(envelope.executor_id(), envelope.executor(), state);
      if (arrived && !state.WasDropped(envelope.executor_id())) TakeHostKills(envelope.executor_id(), envelope.executor(), state);
      break;
    case proto::Envelope::kSymbols:
      for (const proto::Symbol& symbol : envelope.symbols().symbols()) state.symbols.Add(symbol, *state.interner);
      for (const proto::SourceLine& line : envelope.symbols().source_lines()) state.source.Add(line, *state.interner);
      for (const proto::DriverSource& source : envelope.symbols().driver_sources()) DeliverSource(source, state);
      break;
    case proto::Envelope::kWorkerDeath:
      DeliverDeath(envelope.executor_id(), envelope.worker_death(), state);
      break;
    case proto::Envelope::kTimeLine:
      DeliverTimeLine(envelope.executor_id(), envelope.time_line(), state);
      break;
    case proto::Envelope::kRetainedHeap:
      DeliverRetained(envelope.executor_id(), envelope.retained_heap(), state);
      break;
    case proto::Envelope::kLeftOffHeap:
      DeliverLeft(envelope.executor_id(), envelope.left_off_heap(), &ExecutorFacts::left_off_heap, state);
      break;
    case proto::Envelope::kLeftNative:
      DeliverLeft(envelope.executor_id(), envelope.left_native(), &ExecutorFacts::left_native, state);
      break;
    case proto::Envelope::kHeapShortage:
      DeliverShortage(envelope.executor_id(), *envelope.mutable_heap_shortage(), state);
      break;
    case proto::Envelope::MESSAGE_NOT_SET:
      break;
  }
  ++state.version;
  return {};
}

}  // namespace memprof
