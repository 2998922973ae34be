#include "watch/watcher.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/valid_utf8.h"
#include "profile/rss_message.h"
#include "rss/other_malloc.h"
#include "watch/describe_process.h"
#include "watch/last_moment.h"
#include "watch/not_available.h"
#include "watch/shared_cgroup.h"

namespace memprof {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTick{100}, kSlowTick{200}, kFastTick{20};
constexpr seconds kRenewEvery{1}, kDiscoverEvery{5}, kSendEvery{1}, kSharingEvery{10}, kSayAgain{20};
static_assert(News::kKeptFor > kDiscoverEvery);
constexpr milliseconds kCacheEvery{100};  // page cache that makes room for other memory changes no usage
constexpr seconds kAwakeFor{1};           // after a task's start: its worker may be new
constexpr uint64_t kNotable = 100;        // a change by one part in this many
constexpr uint64_t kNotableMove = 10;     // likewise, of the limit
constexpr seconds kSendMovesEvery{5};
constexpr const char* kInOthers = "its memory is in the row of other mappings, which NativeMemoryTracking doesn't tell apart";

}  // namespace

Status Watcher::Start(WatcherOptions options) {
  options_ = std::move(options);
  shortcomings_.Clear();
  FindContainer();
  host_memory_ = proc_.HostMemory().value_or(0);
  if (!proc_.ReadRss(getpid()).ok()) shortcomings_.Add("use of memory", "there is no " + proc_.root() + " that shows it");
  TakeLimit(LimitOfGroup());
  if (limit_) code_.Keep();
  processes_.emplace(proc_, getpid(), options_.with_driver, !options_.withheld);
  const std::string other_malloc = OtherMalloc();
  if (!other_malloc.empty())
    shortcomings_.Add("the JVM's row of malloc", "it is " + other_malloc + "'s, whose figures are not read: " + kInOthers);
  jvm_rss_.emplace(other_malloc);
  missed_limits_ = 0;
  read_cgroup_ = false;
  shared_ = false;
  kill_counter_ = KillCounter(cgroup_.get());
  host_kills_at_start_ = proc_.HostOomKills();
  boot_id_ = ValidUtf8(proc_.BootId());
  offheap_peak_ = sent_use_ = sent_last_ = 0;
  usage_ = 0;
  pace_ = kTick;
  peak_ = {};
  swap_ = {};
  last_.Clear();
  early_warning_ = grant_warning_ = host_warning_ = {};
  time_line_ = {};
  sampled_starts_ = task_starts_;
  sampled_pauses_ = options_.pauses();
  sampled_ends_ = task_ends_;
  FindPressure();
  early_words_ = 0;
  kernel_kills_.Reset(kill_counter_.at_start());
  host_kills_.Reset(host_kills_at_start_);
  host_kills_now_.reset();
  known_starts_ = task_starts_;
  built_at_ = usage_at_ = sent_at_ = renewed_at_ = started_at_ = discovered_at_ = sharing_checked_at_ = pressure_at_ = early_at_ = {};
  news_.Clear();
  {
    const std::lock_guard lock(mutex_);
    latest_.Clear();
  }
  return thread_.Start("memprof-watch", 0, [this] { return Round(); });
}

void Watcher::Stop() {
  thread_.Stop();
  if (!processes_) return;
  news_.HoldNothingBack();
  Look(true);
  options_.send(Build());
  TakeSample(true);
  SendTimeLine();
  processes_.reset();
  code_.Release();
}

proto::ExecutorSnapshot Watcher::Snapshot() {
  const std::lock_guard lock(mutex_);
  return latest_;
}

milliseconds Watcher::Round() {
  const Clock::time_point now = Clock::now();
  NoteStarts(now);
  const bool anew = now - renewed_at_ >= kRenewEvery;
  if (!anew && StandsStill(now)) return pace_;
  if (anew) {
    renewed_at_ = now;
    ReadHostKills();
  }
  Look(anew);
  if (now - built_at_ >= kTick) {  // of the fast ticks only every fifth makes a snapshot
    built_at_ = now;
    proto::ExecutorSnapshot snapshot = Build();
    const std::lock_guard lock(mutex_);
    latest_.Swap(&snapshot);
  }
  const bool near_limit = limit_ && early_warning_.Passes(last_.used_bytes(), *limit_, now);
  const bool near_grant = HeldToGrant() && grant_warning_.Passes(processes_bytes_, options_.granted_bytes, now);
  const bool near_hosts_end = HeldToHost() && host_warning_.Passes(HostMemory() - *host_available_, HostMemory(), now);
  const bool early = near_limit || near_grant || near_hosts_end;
  TakeSample(early);
  if (early) {
    SendEarly();
  } else {
    SendIfGrown();
    // While use stays near a limit, other lines may grow: the last profiles would be outdated when the executor is killed.
    if (StaysNear() && now - early_at_ >= kSayAgain) SayEarly(false);
  }
  if (early || time_line_.Due(now)) SendTimeLine();
  if (!early) options_.looked();
  MeasureJvm();  // last: it takes long for a large heap, and last words must not wait for it
  const bool half_of_limit = limit_ && last_.used_bytes() >= *limit_ / 2;
  const bool half_of_grant = HeldToGrant() && processes_bytes_ >= options_.granted_bytes / 2;
  pace_ = half_of_limit || half_of_grant ? kFastTick : limit_ || HeldToGrant() ? kSlowTick : kTick;
  return pace_;
}

// YARN without cgroups kills executors itself. Where it makes a cgroup for each, the kernel kills them, at the same size.
bool Watcher::HeldToGrant() const { return options_.granted_bytes != 0 && (!limit_ || *limit_ > options_.granted_bytes); }

bool Watcher::HeldToHost() const { return !limit_ && host_available_ && HostMemory() > *host_available_; }

// Near any of the limits beyond which it may be killed.
bool Watcher::StaysNear() const {
  return (limit_ && EarlyWarning::IsNear(last_.used_bytes(), *limit_)) ||
         (HeldToGrant() && EarlyWarning::IsNear(processes_bytes_, options_.granted_bytes)) ||
         (HeldToHost() && EarlyWarning::IsNear(HostMemory() - *host_available_, HostMemory()));
}

void Watcher::NoteStarts(Clock::time_point now) {
  const uint64_t starts = task_starts_;
  if (starts == known_starts_) return;
  known_starts_ = starts;
  started_at_ = now;
}

// Every tick reads what the container uses. It reads more only if that has changed, or tasks have started or ended.
bool Watcher::StandsStill(Clock::time_point now) {
  if (!limit_ || HeldToGrant()) return false;
  if (now - started_at_ < kAwakeFor || task_ends_ != sampled_ends_) return false;
  const auto hardly_moved = [&](uint64_t before, uint64_t bytes) {
    return std::max(before, bytes) - std::min(before, bytes) < *limit_ / kNotable;
  };
  if (now - usage_at_ < kCacheEvery) {
    const Result<uint64_t> usage = cgroup_->ReadUsage();
    if (usage.ok() && hardly_moved(usage_, *usage)) return true;
  }
  const Result<CgroupUse> use = ReadUse();
  return use.ok() && hardly_moved(last_.used_bytes(), use->used_bytes());
}

Result<CgroupUse> Watcher::ReadUse() {
  Result<CgroupUse> use = cgroup_->Read();
  if (use.ok()) usage_ = use->usage_bytes;
  usage_at_ = Clock::now();
  return use;
}

// Nothing tells us which processes the driver's Python starts, so in local mode this is always true. An executor's daemon starts within
// a few seconds of a task; Tick finds the workers that the daemon forks.
bool Watcher::MayHaveStartedMore(Clock::time_point now) {
  const bool quiet = now - started_at_ >= kDiscoverEvery && now - discovered_at_ < kDiscoverEvery;
  if (quiet && !options_.with_driver) return false;
  discovered_at_ = now;
  return true;
}

void Watcher::Look(bool anew) {
  const Clock::time_point now = Clock::now();
  seen_ends_ = task_ends_;
  stages_ = options_.running_stages();
  if (anew) {
    if (MayHaveStartedMore(now)) processes_->Discover();
    ReadLimit();
    const HostRoom room = proc_.ReadHostRoom();
    TakeHostAvailable(room.available_bytes);
    swap_.Look(room.swap, proc_, *processes_, limit_ ? cgroup_.get() : nullptr);
  }
  if (cgroup_ != nullptr && !shared_ && now - sharing_checked_at_ >= kSharingEvery) {
    sharing_checked_at_ = now;
    shared_ = OtherExecutorIn(*cgroup_, proc_, getpid());
    if (shared_) kernel_kills_.SetShared();
  }
  processes_->Tick(anew ? ProcessWatch::Peaks::kKernels : ProcessWatch::Peaks::kSeen);
  spark_ = news_.TakeTo(&*processes_);
  SendDeaths();
  offheap_peak_ = std::max(offheap_peak_, options_.offheap_live_bytes());

  processes_bytes_ = 0;
  for (const auto& [pid, process] : processes_->living()) processes_bytes_ += process.rss_bytes;
  uint64_t used = processes_bytes_;
  std::string of;                // the cgroup's folder; "": the processes
  if (limit_ || read_cgroup_) {  // a limit that is lifted changes no measure
    const Result<CgroupUse> use = ReadUse();
    if (use.ok()) {
      used = use->used_bytes();
      of = cgroup_->path();
      read_cgroup_ = true;
    } else if (limit_ && read_cgroup_) {
      return;  // skips this tick: the sum of RSS is another measure and can't stand in
    }
  }
  if (used == 0) return;  // nothing can be read, as without /proc
  RememberLast(used);
  if (peak_.Follow(of)) {
    sent_use_ = 0;
    time_line_.MeasureAnew();
  }
  if (peak_.IsBelow(used)) peak_.Raise(used, *processes_, {RegionsNow(), options_.running_tasks()});
}

// Measures the rows of this process, the JVM, if its resident set has grown enough.
void Watcher::MeasureJvm() {
  const auto jvm = processes_->living().find(getpid());
  if (jvm == processes_->living().end() || !jvm_rss_->Wanted(jvm->second.rss_bytes, MonotonicNs())) return;
  std::optional<RssRows> rows = jvm_rss_->Measure(options_.offheap_blocks());
  if (rows) processes_->SetRss({{getpid(), jvm->second.start_ticks}, *std::move(rows)});
}

void Watcher::RememberLast(uint64_t used) {
  last_ = LastMoment(*processes_, used);
  if (host_available_) last_.set_host_available_bytes(*host_available_);
  *last_.mutable_regions() = RegionsNow();
}

google::protobuf::RepeatedPtrField<proto::NamedBytes> Watcher::RegionsNow() const {
  google::protobuf::RepeatedPtrField<proto::NamedBytes> regions;
  if (const std::optional<uint64_t> used = options_.heap_used_after_gc()) AddNamedBytes("heap.usedAfterGc", *used, &regions);
  if (spark_.now.heap_max != 0) {  // 0: nothing reported yet
    AddNamedBytes("heap.storage", spark_.now.storage, &regions);
    if (spark_.now.unroll.value_or(0) != 0) AddNamedBytes("storage.unroll", *spark_.now.unroll, &regions);
    AddNamedBytes("heap.execution", spark_.now.execution, &regions);
    AddNamedBytes("heap.committed", spark_.now.heap_committed, &regions);
  }
  AddNamedBytes("offHeap", options_.offheap_live_bytes(), &regions);
  return regions;
}

void Watcher::ReadHostKills() {
  host_kills_read_ms_ = EpochMs();
  host_kills_now_ = proc_.HostOomKills();
}

void Watcher::SendEarly() {
  Send(Clock::now());
  SayEarly(true);
}

void Watcher::SayEarly(bool climbs) {
  early_at_ = Clock::now();
  ++early_words_;
  options_.early(climbs);
}

void Watcher::SendIfGrown() {
  const Clock::time_point now = Clock::now();
  const bool grown = peak_.used_bytes() > sent_use_ + sent_use_ / 50;  // by 2 %
  // If use has fallen, or risen again without a new peak, a death must not be judged by the use before that.
  const uint64_t last = last_.used_bytes(), move = std::max(last, sent_last_) - std::min(last, sent_last_);
  const uint64_t bound = limit_.value_or(HeldToGrant() ? options_.granted_bytes : 0);
  const bool moved = bound != 0 && move > bound / kNotableMove && now - sent_at_ >= kSendMovesEvery;
  if (!moved && (!grown || now - sent_at_ < kSendEvery)) return;
  Send(now);
}

void Watcher::Send(Clock::time_point now) {
  sent_use_ = peak_.used_bytes();
  sent_last_ = last_.used_bytes();
  sent_at_ = now;
  options_.send(Build());
}

proto::ExecutorSnapshot Watcher::Build() const {
  proto::ExecutorSnapshot snapshot;
  if (!processes_) return snapshot;
  snapshot.set_taken_ms(EpochMs());
  snapshot.set_jvm_pid(getpid());
  snapshot.set_host(ValidUtf8(options_.host));
  snapshot.set_java_version(ValidUtf8(options_.java_version));
  snapshot.set_agent_loaded(options_.agent_loaded);
  if (limit_) {
    snapshot.set_cgroup_limit_bytes(*limit_);
    snapshot.set_cgroup_limit_clock_ms(MonotonicNs() / 1'000'000);
  }
  snapshot.set_cgroup_shared(shared_);
  if (!limit_ && !why_unseen_.empty()) SetLimitUnseen(why_unseen_, &snapshot);
  if (host_memory_ != 0) {
    snapshot.set_host_memory_bytes(HostMemory());
    snapshot.set_host_is_group(wider_limit_.has_value());
    snapshot.set_host_memory_clock_ms(MonotonicNs() / 1'000'000);
  }
  if (spark_.peak.heap_max != 0) {
    snapshot.set_heap_max_bytes(spark_.peak.heap_max);
    snapshot.set_spark_storage_peak_bytes(spark_.peak.storage);
    if (spark_.peak.unroll) snapshot.set_spark_unroll_peak_bytes(*spark_.peak.unroll);
    snapshot.set_spark_execution_peak_bytes(spark_.peak.execution);
  }
  snapshot.set_offheap_peak_bytes(offheap_peak_);
  spark_.pools.AddTo(&snapshot);

  std::vector<const WatchedProcess*> processes;
  for (const auto& [pid, process] : processes_->living()) processes.push_back(&process);
  for (const WatchedProcess& process : processes_->dead()) processes.push_back(&process);
  // What has no room is cut from the end: programs first, of which a task may start any number.
  std::stable_sort(processes.begin(), processes.end(), [](const WatchedProcess* a, const WatchedProcess* b) {
    return std::pair(a->kind == ProcessKind::kProgram, b->peak_bytes) < std::pair(b->kind == ProcessKind::kProgram, a->peak_bytes);
  });
  for (const WatchedProcess* process : processes) {
    if (process->peak_bytes != 0) Describe(*process, options_.withheld, snapshot.add_processes());
  }
  swap_.AddTo(&snapshot);
  if (peak_.used_bytes() != 0) *snapshot.mutable_at_peak() = peak_.message();
  if (last_.time_ms() != 0) *snapshot.mutable_last() = last_;
  const std::optional<uint64_t> oom_kills = cgroup_ == nullptr ? std::nullopt : cgroup_->OomKills();
  if (oom_kills && limit_) kill_counter_.AddTo(*oom_kills, &snapshot);
  if (host_kills_now_) {
    snapshot.set_host_oom_kills(*host_kills_now_);
    snapshot.set_host_oom_kills_ms(host_kills_read_ms_);
    if (host_kills_at_start_) snapshot.set_host_oom_kills_at_start(*host_kills_at_start_);
    snapshot.set_boot_id(boot_id_);
  }
  // In a shared cgroup each executor would count them.
  if (const std::optional<uint64_t> start = kill_counter_.at_start(); oom_kills && start && *oom_kills > *start && !shared_) {
    proto::Counter* counter = snapshot.add_counters();
    counter->set_name("oomKills");
    counter->set_value(*oom_kills - *start);
  }
  if (early_words_ != 0) {
    proto::Counter* counter = snapshot.add_counters();
    counter->set_name("earlyWords");
    counter->set_value(early_words_);
  }
  AddNotAvailable(shortcomings_, &snapshot);
  options_.complete(&snapshot);
  return snapshot;
}

}  // namespace memprof
