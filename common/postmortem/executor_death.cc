// DeathWriter's post-mortems of JVMs: of an executor that died, and of one that survived a full heap.
#include <algorithm>
#include <array>
#include <iterator>

#include "postmortem/advice_for.h"
#include "postmortem/death_writer.h"
#include "postmortem/driver_heap.h"
#include "postmortem/failed_attempts.h"
#include "postmortem/headlines.h"
#include "postmortem/killing_limit.h"
#include "postmortem/last_moment.h"
#include "postmortem/use_at_death.h"
#include "report/cut.h"
#include "rollup/left_memory.h"
#include "rollup/parsed_snapshot.h"
#include "rollup/time_lines.h"
#include "rollup/unexpected_end.h"

namespace memprof {
namespace {

constexpr int64_t kPeakIsNewsMs = 20'000;  // Spark takes some seconds to end an executor
constexpr int64_t kToldLaterMs = 1'000;    // a collection's news come up to 150 ms after its end
constexpr int64_t kOneKillMs = 10'000;     // what the kernel kills in one container for one shortage
constexpr int64_t kLeftIsNewsMs = 60'000;  // near a limit it is said every twenty seconds, and moves within thirty anywhere

void PutAge(const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot, const std::vector<LastTask>& tasks,
            ReportPostMortem& death) {
  int64_t latest = snapshot.last().time_ms();  // of what is told of its use
  if (!snapshot.has_last()) {
    latest = snapshot.taken_ms();
    for (const LastTask& last : tasks) {
      if (last.task->profile) latest = std::max(latest, last.task->profile->taken_ms);
    }
  }
  if (latest > 0) death.last_sample_age_ms = std::max<int64_t>(0, GoneMs(facts) - facts.clock.ToDriver(latest));
}

// It is among what no running task held: the task had ended then.
bool IsTold(const LastTask& task, const LeftThen& left) {
  const auto& profile = task.task->profile;
  return !left.sites.empty() && profile && profile->final && profile->taken_ms <= left.time_ms;
}

// Off-heap and native memory that no running task held. Blocks of a task that has ended are here, too, even if its failure ended the
// executor. Where direct buffers ran out, it is what was there at the most: a transfer that failed of it let go of its blocks at once.
std::vector<ReportSite> SitesLeftThen(const ExecutorFacts& facts, const proto::Moment* last, const ReportPostMortem& death,
                                      bool of_direct_buffers, const StoreState& state, std::vector<LastTask>& tasks) {
  const int64_t last_sample_ms = death.time_ms - death.last_sample_age_ms.value_or(0);
  const std::optional<uint64_t> all_blocks = last == nullptr ? std::nullopt : RegionOf(*last, "offHeap");
  LeftThen off_heap;
  if (of_direct_buffers) off_heap = LeftSitesAtPeak(facts, Origin::kJvmOffHeap, last_sample_ms - kPeakIsNewsMs, state);
  if (off_heap.sites.empty())
    off_heap = LeftSites(facts, Origin::kJvmOffHeap, last_sample_ms - kLeftIsNewsMs, all_blocks.value_or(UINT64_MAX), state);
  LeftThen native = LeftSites(facts, Origin::kJvmNative, last_sample_ms - kLeftIsNewsMs, UINT64_MAX, state);
  for (LastTask& each : tasks) {
    each.off_heap_is_told = IsTold(each, off_heap);
    each.native_is_told = IsTold(each, native);
  }
  std::vector<ReportSite> sites = std::move(off_heap.sites);
  sites.insert(sites.end(), std::make_move_iterator(native.sites.begin()), std::make_move_iterator(native.sites.end()));
  return sites;
}

// Among the sites of the tasks that ran. Sites of another attempt are of another time: they stay alone.
void PutLeft(std::vector<ReportSite> left, ReportPostMortem& death) {
  if (death.sites_of_attempt || left.empty()) return;
  death.sites.insert(death.sites.end(), std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  std::stable_sort(death.sites.begin(), death.sites.end(), [](const ReportSite& a, const ReportSite& b) {
    return a.live_at_peak_bytes.value_or(0) > b.live_at_peak_bytes.value_or(0);
  });
}

uint64_t KillsOf(const std::vector<proto::WorkerDeath>& workers, int64_t since_ms = INT64_MIN, int64_t until_ms = INT64_MAX) {
  uint64_t kills = 0;
  for (const proto::WorkerDeath& worker : workers) {
    if (worker.time_ms() > since_ms && worker.time_ms() < until_ms) kills += worker.oom_kills();
  }
  return kills;
}

// By its samples until the last one. The newest of them come up to ten seconds late, but early where use nears the limit.
bool RoseLately(const ExecutorFacts& facts, const proto::Moment& last, uint64_t limit_bytes) {
  const std::optional<uint64_t> least = LeastUsedLately(facts, last.time_ms());
  const double rise = kRise * static_cast<double>(limit_bytes);
  return least && limit_bytes != 0 && static_cast<double>(*least) + rise <= static_cast<double>(last.used_bytes());
}

// What a full heap was full of, if its collector had time to mark it.
void PutRetained(const ReportExecutor& executor, ReportPostMortem& death) {
  death.retained = executor.retained;
  if (!death.heap) death.heap = executor.nearly_full_heap;
  if (death.retained) KeepLargest(DeathWriter::kRetainedShown, *death.retained);
}

// None is known of a time when no sample came.
std::array<LargestCached, 2> CachedThen(const proto::HeapShortage& error) {
  std::array<LargestCached, 2> largest;
  for (size_t mode = 0; mode < std::min(largest.size(), static_cast<size_t>(error.cached_size())); ++mode) {
    const proto::CachedThen& cached = error.cached(static_cast<int>(mode));
    largest[mode] = {cached.rdd_id(), cached.bytes(), cached.of_bytes(), cached.broadcast_bytes()};
  }
  return largest;
}

// A limit that YARN names is the one that killed, with what it counted: a group with another limit is around it, or how YARN rounds what
// it grants is not known. Its words are rounded, too, and it grants no less than was requested. Returns the executor with that limit, for
// the advice; nothing: the limit that was seen is the one.
std::optional<ReportExecutor> PutToldUse(const std::optional<ToldUse>& told, const ReportExecutor& executor, ReportPostMortem& death) {
  constexpr double kRounded = 0.1;
  if (!told) return std::nullopt;
  const uint64_t seen = death.limit_bytes.value_or(0), apart = std::max(seen, told->limit_bytes) - std::min(seen, told->limit_bytes);
  if (apart <= told->rounded_bytes) return std::nullopt;
  const uint64_t requested = executor.requested_bytes.value_or(0);
  const bool is_as_requested = ShareOf(told->limit_bytes, requested) >= 1 - kRounded;
  death.limit_bytes = is_as_requested ? std::max(told->limit_bytes, requested) : told->limit_bytes;
  death.used_bytes = told->used_bytes;
  ReportExecutor bounded = executor;
  bounded.limit_bytes = death.limit_bytes;
  bounded.limit_source = "spark";
  bounded.limit_shared = false;
  return bounded;
}

// Its node may have gone with it, so that its use alone proves nothing, unlike what the kernel has counted and the JVM said.
void PutDecommission(const DeathEvidence& evidence, Verdict& verdict) {
  if (!evidence.loss.decommissioned) return;
  verdict.how = "it was being decommissioned; " + verdict.how;
  if (evidence.kernel_kills.value_or(0) > 0 || verdict.of_heap || verdict.of_jvm || verdict.of_array) return;
  verdict.out_of_memory = verdict.maybe_of_memory = false;
  verdict.unknown = true;
}

}  // namespace

ReportPostMortem DeathWriter::OfExecutor(const ReportExecutor& executor, const ExecutorFacts& facts, DeathDetail detail) {
  const bool in_full = detail == DeathDetail::kInFull;
  const ParsedSnapshot parsed(facts);
  const proto::ExecutorSnapshot& snapshot = *parsed;
  ReportPostMortem death;
  DeathEvidence evidence;
  evidence.loss = LossOf(executor.id, facts, state_);
  if (evidence.loss.with_worker) evidence.worker_took_too = lookups_.LostWithTheSameWorker(executor.id, facts);
  death.executor_id = executor.id;
  death.process = evidence.loss.kind == LossKind::kContainerMemory ? "container" : "jvm";
  if (snapshot.jvm_pid() != 0) death.pid = snapshot.jvm_pid();
  death.exit_code = evidence.loss.exit_code;
  if (executor.id != "driver") death.reason = facts.removed_reason;  // Spark's words; of its own end a driver has none
  death.time_ms = facts.removed_ms;
  death.limit_bytes = evidence.limit_bytes = KillingLimit(executor);
  std::vector<LastTask> tasks = lookups_.RunningOn(executor.id);
  const std::vector<proto::WorkerDeath> dead_before = WorkersThatDiedIn(executor.id, state_);
  if (const proto::Moment* last = LastMoment(snapshot)) {
    PutMoment(executor, Without(dead_before, *last), detail, death);
    PutHost(executor, *last, state_.configuration, evidence);
    evidence.used_before_bytes = last->used_bytes();
    evidence.rose_lately = RoseLately(facts, *last, evidence.limit_bytes.value_or(0));
  }
  const std::optional<ReportExecutor> as_told = PutToldUse(evidence.loss.told, executor, death);
  evidence.limit_bytes = death.limit_bytes;
  evidence.used_bytes = death.used_bytes;
  if (executor.heap_after_gc_peak) evidence.heap_used_bytes = executor.heap_after_gc_peak->bytes;
  if (executor.heap_after_gc && facts.clock.ToDriver(executor.heap_after_gc->time_ms) + kEndsWithinMs >= GoneMs(facts))
    evidence.heap_left_bytes = executor.heap_after_gc->bytes;
  evidence.heap_max_bytes = executor.heap_max_bytes;
  evidence.exits_on_out_of_memory = snapshot.exits_on_out_of_memory();
  evidence.kills_itself_on_out_of_memory = snapshot.kills_itself_on_out_of_memory();
  const std::optional<LastTask> failed = lookups_.LastFailedOn(executor.id, facts.removed_ms);
  if (failed) {
    std::string error(state_.interner->StringAt(failed->task->fatal));  // first, for the other may have been cut
    evidence.last_word = ParseJvmShortage(error.append("\n").append(state_.interner->StringAt(failed->task->error)));
  }
  std::optional<proto::HeapShortage> error = HeapErrorThatEnded(executor.id, facts, state_), of_pool;
  if (!evidence.last_word || evidence.last_word->pool == JvmPool::kOther) of_pool = PoolErrorNearEnd(executor.id, facts, state_, error);
  if (of_pool && ProvesPoolError(evidence.loss.exit_code)) {
    evidence.last_word = PoolShortage(*of_pool);
    error.reset();
  } else if (of_pool) {
    const JvmShortage shortage = PoolShortage(*of_pool);
    if (shortage.pool == JvmPool::kMetaspace || shortage.pool == JvmPool::kClassSpace) evidence.class_error = shortage;
    of_pool.reset();
  }
  if (error) evidence.heap_error = error->error().empty() ? "a full heap" : error->error();
  PutKernelKills(executor, facts, snapshot, dead_before, evidence);
  const int64_t right_before_ms = facts.clock.FromDriver(GoneMs(facts)) - kOneKillMs;
  evidence.kills_before = KillsOf(dead_before, INT64_MIN, right_before_ms);
  evidence.kills_just_before = KillsOf(dead_before, right_before_ms);
  PutAge(facts, snapshot, tasks, death);
  evidence.sample_age_ms = death.last_sample_age_ms;
  Verdict verdict = Judge(evidence);
  PutDecommission(evidence, verdict);
  death.out_of_memory = verdict.out_of_memory;
  death.unknown = verdict.unknown;
  death.how = verdict.how;
  if ((verdict.of_heap || verdict.of_array) && error) PutHeapError(*error, tasks, death);
  if (of_pool) {
    PutAsker(*of_pool, tasks, death);
  } else if (failed && (verdict.of_jvm || verdict.of_array || (verdict.of_heap && !error))) {
    PutFirst(*failed, tasks);
  }
  PutTask(tasks, death);
  if (in_full) {
    const bool of_direct_buffers = verdict.of_jvm && evidence.last_word && evidence.last_word->pool == JvmPool::kDirectBuffers;
    std::vector<ReportSite> left = SitesLeftThen(facts, LastMoment(snapshot), death, of_direct_buffers, state_, tasks);
    PutSites(tasks, facts.clock.FromDriver(GoneMs(facts)), death);
    if (const std::optional<LastTask> attempt = HeaviestFailedAttempt(state_, tasks, failed, GoneMs(facts)))
      PutAttempt(*attempt, facts, death);
    PutLeft(std::move(left), death);
  }
  std::optional<ReportAction> action;
  if (verdict.of_heap && error) action = ChargeAction(executor, *error, death);
  death.headline = ExecutorHeadline(death, verdict, executor, evidence.last_word, error, action);
  if (in_full && (verdict.of_heap || verdict.of_unknown_pool || verdict.maybe_of_heap) && !death.retained) PutRetained(executor, death);
  if (death.retained) death.retained->time_ms = facts.clock.ToDriver(death.retained->time_ms);  // beside the death's own
  std::optional<int64_t> asker;
  if (error && error->task_attempt_id() >= 0) asker = error->task_attempt_id();
  if (!error && failed) asker = failed->task_attempt_id;
  // Which setting helps depends on the pool that ran short.
  if (in_full && (death.out_of_memory || verdict.maybe_of_memory) && !verdict.of_unknown_pool)
    death.advice = AdviceFor({death, as_told ? *as_told : executor, snapshot, tasks, verdict, evidence.last_word, action, asker},
                             OperatorsNow(), peers_, state_);
  if (in_full && action) PutAction(*action, SettingsOf(*action), death);
  return death;
}

// A JVM that is dead can't look at the counters; the next one in the same cgroup, or on the same host, does when it starts, and one that
// lives on that host does later.
void DeathWriter::PutKernelKills(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot,
                                 const std::vector<proto::WorkerDeath>& dead_before, DeathEvidence& evidence) {
  PutKillsInCgroup(executor, facts, snapshot, dead_before, evidence);
  if (evidence.kernel_kills || !snapshot.has_host_oom_kills()) return;
  // A kill on the host may be of any process. If there was none, the kernel did not kill this executor.
  const std::optional<LaterKills> later = lookups_.KillsOnHost(executor.id, facts, snapshot);
  if (!later) return;
  if (later->oom_kills != snapshot.host_oom_kills()) {
    const uint64_t of_workers = KillsOf(dead_before, snapshot.taken_ms());  // the others are in its count
    evidence.host_kills_rose |= later->oom_kills > snapshot.host_oom_kills() + of_workers;
    return;
  }
  evidence.kernel_kills = 0;
  evidence.counted_on_host = true;
  evidence.counted_by = later->reader;
}

void DeathWriter::PutKillsInCgroup(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot,
                                   const std::vector<proto::WorkerDeath>& dead_before, DeathEvidence& evidence) {
  if (!snapshot.has_oom_kills() || snapshot.cgroup().empty() || snapshot.cgroup_shared()) return;
  // A kill of a worker is known from that worker's death, which may be younger than the last snapshot.
  const uint64_t known = snapshot.oom_kills_at_start() + KillsOf(dead_before);
  const uint64_t before = std::max(known, snapshot.oom_kills());
  const std::optional<LaterKills> later = lookups_.KillsInCgroup(executor.id, facts, snapshot, before);
  if (!later) return;
  // An idle executor says nothing for a long time, in which the kernel may have killed anybody there.
  const bool since_long = later->oom_kills > before && facts.clock.ToDriver(snapshot.taken_ms()) + kTellsOfAnEndMs < GoneMs(facts);
  if (!later->tells_of_end || since_long) {
    evidence.kills_of_any_time = true;
    return;
  }
  evidence.kernel_kills = later->oom_kills - std::min(later->oom_kills, before);
  evidence.counted_by = later->reader;
}

// Its executor may have lived on for hours: what it became is none of that moment.
void DeathWriter::PutAdviceOfThen(const ReportExecutor& executor, const ExecutorFacts& facts, const proto::HeapShortage& error,
                                  const std::vector<LastTask>& askers, const std::optional<ReportAction>& action, ReportPostMortem& death) {
  Verdict verdict;
  verdict.of_array = PoolOf(error.error()) == JvmPool::kArray;
  verdict.of_heap = !verdict.of_array;
  const ParsedSnapshot snapshot(facts);
  snapshot->clear_last();
  if (error.has_last()) *snapshot->mutable_last() = error.last();
  ReportExecutor then = executor;
  const bool has_peak = then.heap_after_gc_peak.has_value();
  if (has_peak && then.heap_after_gc_peak->time_ms > error.time_ms() + kToldLaterMs) then.heap_after_gc_peak.reset();
  std::vector<LastTask> ran = lookups_.RunningAt(executor.id, facts.clock.ToDriver(error.time_ms()), error.running());
  if (!askers.empty()) PutFirst(askers.front(), ran);
  DeathFacts of_then{death, then, *snapshot, ran, verdict, std::nullopt, action, error.task_attempt_id(), CachedThen(error)};
  death.advice = AdviceFor(of_then, OperatorsNow(), peers_, state_);
}

ReportPostMortem DeathWriter::OfHeapError(const ReportExecutor& executor, const ExecutorFacts& facts, const SurvivedHeapError& survived,
                                          DeathDetail detail) {
  const proto::HeapShortage& error = survived.error;
  const bool failed = survived.task != nullptr && survived.task->outcome == TaskOutcome::kFailed;
  ReportPostMortem death;
  death.executor_id = executor.id;
  death.process = "jvm";
  death.pid = error.jvm_pid();
  death.time_ms = error.time_ms();
  death.out_of_memory = true;
  death.survived = true;
  death.limit_bytes = KillingLimit(executor);
  if (failed) death.reason = state_.interner->StringAt(survived.task->error);
  if (error.has_last()) {
    PutMoment(executor, error.last(), detail, death);
    death.last_sample_age_ms = std::max<int64_t>(0, error.time_ms() - error.last().time_ms());
  }
  std::vector<LastTask> tasks;
  PutHeapError(error, tasks, death);
  death.how = HeapErrorEvidence(survived);
  const std::optional<ReportAction> action = ChargeAction(executor, error, death);
  death.headline = SurvivedHeadline(death, survived, failed, action);
  PutTask(tasks, death);
  if (detail == DeathDetail::kInFull) {
    PutSites(tasks, death.time_ms, death);
    PutAdviceOfThen(executor, facts, error, tasks, action, death);
    if (action) PutAction(*action, SettingsOf(*action), death);
  }
  return death;
}

}  // namespace memprof
