#include "watch/watcher.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/valid_utf8.h"
#include "profile/process_rows.h"
#include "watch/last_moment.h"

namespace memprof {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTick{100}, kSlowTick{200}, kFastTick{20};
constexpr seconds kNewsKeptFor{3};  // processes are discovered every second
constexpr seconds kDiscoverEvery{1}, kSendEvery{1}, kPssEvery{1}, kSharingEvery{10};
constexpr int kPssShare = 50;  // of the time at most one part in this many is spent on reading PSS
constexpr size_t kMaxSharingChecks = 2048;

void AddRow(const char* name, uint64_t bytes, google::protobuf::RepeatedPtrField<proto::Row>* rows) {
  proto::Row* row = rows->Add();
  row->set_name(name);
  row->set_bytes(bytes);
}

void Describe(const WatchedProcess& process, bool withheld, proto::Process* message) {
  message->set_pid(process.pid);
  message->set_kind(NameOf(process.kind));
  message->set_peak_rss_bytes(process.peak_bytes);
  if (process.rows) {
    AddProcessRows(*process.rows, message);
  } else {
    AddRow("RssAnon", process.peak_anon_bytes, message->mutable_peak_rows());
    AddRow("RssFile", process.peak_file_bytes, message->mutable_peak_rows());
    AddRow("RssShmem", process.peak_shmem_bytes, message->mutable_peak_rows());
    message->set_unattributed_bytes(process.unattributed_bytes());
  }
  if (process.baseline) AddBaseline(*process.baseline, withheld, message);
  message->set_alive(process.alive);
  if (process.last_task_attempt_id) message->set_last_task_attempt_id(*process.last_task_attempt_id);
}

// Another executor in our control group: the limit is not ours alone.
bool OtherExecutorIn(const MemoryCgroup& cgroup, const ProcFiles& proc, int32_t own_pid) {
  size_t checks = 0;
  for (const int32_t pid : cgroup.Processes()) {
    if (pid == own_pid || ++checks > kMaxSharingChecks) continue;
    const Result<std::vector<std::string>> command_line = proc.ReadCommandLine(pid);
    if (command_line.ok() && IsExecutorJvm(*command_line)) return true;
  }
  return false;
}

}  // namespace

Status Watcher::Start(WatcherOptions options) {
  options_ = std::move(options);
  Result<std::unique_ptr<MemoryCgroup>> cgroup = FindMemoryCgroup();
  cgroup_ = cgroup.ok() ? std::move(*cgroup) : nullptr;
  host_memory_ = proc_.HostMemory().value_or(0);
  processes_.emplace(proc_, getpid(), options_.with_driver);
  limit_.reset();
  shared_ = false;
  oom_kills_at_start_ = cgroup_ == nullptr ? std::nullopt : cgroup_->OomKills();
  offheap_peak_ = largest_use_ = sent_use_ = 0;
  peak_.Clear();
  last_.Clear();
  early_warning_ = {};
  kernel_kills_.Reset(oom_kills_at_start_);
  built_at_ = sent_at_ = discovered_at_ = pss_at_ = sharing_checked_at_ = {};
  pss_cost_ = {};
  {
    const std::lock_guard lock(mutex_);
    spark_said_ = spark_said_peak_ = {};
    last_tasks_said_.clear();
    rows_said_.clear();
    baselines_said_.clear();
    latest_.Clear();
  }
  return thread_.Start("memprof-watch", 0, [this] { return Round(); });
}

void Watcher::Stop() {
  thread_.Stop();
  if (!processes_) return;
  Look(true);
  options_.send(Build());
  processes_.reset();
}

void Watcher::SetSparkMemory(const SparkMemoryUse& use) {
  const std::lock_guard lock(mutex_);
  spark_said_ = use;
  spark_said_peak_.storage = std::max(spark_said_peak_.storage, use.storage);
  spark_said_peak_.execution = std::max(spark_said_peak_.execution, use.execution);
  spark_said_peak_.heap_used = std::max(spark_said_peak_.heap_used, use.heap_used);
  spark_said_peak_.heap_max = use.heap_max;
}

void Watcher::SetLastTask(int32_t pid, int64_t task_attempt_id) {
  const std::lock_guard lock(mutex_);
  if (last_tasks_said_.size() < ProcessWatch::kMaxProcesses) last_tasks_said_[pid] = task_attempt_id;
}

void Watcher::SetRows(const ProcessRows& rows) {
  const std::lock_guard lock(mutex_);
  if (rows_said_.size() >= ProcessWatch::kMaxProcesses && !rows_said_.contains(rows.pid)) return;
  rows_said_.insert_or_assign(rows.pid, Said<ProcessRows>{rows, Clock::now()});
}

void Watcher::SetBaseline(const ProcessBaseline& baseline) {
  const std::lock_guard lock(mutex_);
  const auto known = baselines_said_.find(baseline.pid);
  if (known == baselines_said_.end() && baselines_said_.size() >= ProcessWatch::kMaxProcesses) return;
  Said<ProcessBaseline> said{baseline, Clock::now()};
  if (known != baselines_said_.end() && known->second.news.start_ticks == baseline.start_ticks) {
    said.news = known->second.news;
    Renew(baseline.baseline, &said.news.baseline);
  }
  baselines_said_.insert_or_assign(baseline.pid, said);
}

proto::ExecutorSnapshot Watcher::Snapshot() {
  const std::lock_guard lock(mutex_);
  return latest_;
}

milliseconds Watcher::Round() {
  const Clock::time_point now = Clock::now();
  const bool discover = now - discovered_at_ >= kDiscoverEvery;
  if (discover) discovered_at_ = now;
  Look(discover);
  if (now - built_at_ >= kTick) {  // a fast tick watches, and leaves the rest to every fifth of it
    built_at_ = now;
    proto::ExecutorSnapshot snapshot = Build();
    const std::lock_guard lock(mutex_);
    latest_.Swap(&snapshot);
  }
  if (limit_ && early_warning_.Passes(last_.used_bytes(), *limit_, now)) {
    SendEarly();
  } else {
    SendIfGrown();
  }
  if (!limit_) return kTick;
  return last_.used_bytes() < *limit_ / 2 ? kSlowTick : kFastTick;
}

void Watcher::TakeNews() {
  const std::lock_guard lock(mutex_);
  spark_ = spark_said_;
  spark_peak_ = spark_said_peak_;
  for (const auto& [pid, task] : last_tasks_said_) processes_->SetLastTask(pid, task);
  last_tasks_said_.clear();
  // A worker's first task may be over before the worker has been discovered.
  const auto is_old = [now = Clock::now()](const auto& said) { return now - said.at >= kNewsKeptFor; };
  std::erase_if(rows_said_, [&](const auto& said) { return processes_->SetRows(said.second.news) || is_old(said.second); });
  std::erase_if(baselines_said_, [&](const auto& said) { return processes_->SetBaseline(said.second.news) || is_old(said.second); });
}

void Watcher::Look(bool discover) {
  const Clock::time_point now = Clock::now();
  if (discover) {
    processes_->Discover();
    limit_ = cgroup_ == nullptr || host_memory_ == 0 ? std::nullopt : cgroup_->Limit(host_memory_);
  }
  if (limit_ && !shared_ && now - sharing_checked_at_ >= kSharingEvery) {
    sharing_checked_at_ = now;
    shared_ = OtherExecutorIn(*cgroup_, proc_, getpid());
  }
  processes_->Tick();
  TakeNews();
  TellDeaths();
  offheap_peak_ = std::max(offheap_peak_, options_.offheap_live_bytes());

  uint64_t used = 0;
  bool sum_of_processes = true;
  if (limit_) {
    const Result<CgroupUse> use = cgroup_->Read();
    if (use.ok()) {
      used = use->used_bytes();
      sum_of_processes = false;
    }
  }
  if (sum_of_processes) {
    for (const auto& [pid, process] : processes_->living()) used += process.rss_bytes;
  }
  RememberLast(used);
  if (used <= largest_use_) return;
  largest_use_ = used;
  RememberMoment(used, sum_of_processes);
}

void Watcher::RememberLast(uint64_t used) {
  last_ = LastMoment(*processes_, used);
  AddRegion("heap.used", spark_.heap_used, &last_);
  AddRegion("heap.storage", spark_.storage, &last_);
  AddRegion("heap.execution", spark_.execution, &last_);
  AddRegion("heap.committed", spark_.heap_committed, &last_);
  AddRegion("offHeap", options_.offheap_live_bytes(), &last_);
}

bool Watcher::MayReadPss() const {
  const Clock::duration since = Clock::now() - pss_at_;
  return since >= kPssEvery && since >= pss_cost_ * kPssShare;
}

// What a process holds now, and the rows that were read with it: they may miss some pages of it, which is said.
void Watcher::ReadNow(const WatchedProcess& process, bool with_pss, proto::Process* message) const {
  message->set_peak_rss_bytes(process.rss_bytes);
  uint64_t rows = 0;
  const auto add = [&](const char* name, uint64_t bytes) {
    AddRow(name, bytes, message->mutable_peak_rows());
    rows += bytes;
  };
  const Result<ProcessPss> pss =
      with_pss ? proc_.ReadPss(process.pid) : Result<ProcessPss>(Status::Error(ErrorCode::kUnsupported, "not now"));
  if (pss.ok()) {
    message->set_peak_rss_bytes(pss->bytes);
    add("PssAnon", pss->anon_bytes);
    add("PssFile", pss->file_bytes);
    add("PssShmem", pss->shmem_bytes);
  } else if (const Result<ProcessStatus> status = proc_.ReadStatus(process.pid); status.ok()) {
    message->set_peak_rss_bytes(status->rss_bytes);
    add("RssAnon", status->rss_anon_bytes);
    add("RssFile", status->rss_file_bytes);
    add("RssShmem", status->rss_shmem_bytes);
  }
  message->set_unattributed_bytes(static_cast<int64_t>(message->peak_rss_bytes()) - static_cast<int64_t>(rows));
}

void Watcher::RememberMoment(uint64_t used, bool sum_of_processes) {
  const bool with_pss = MayReadPss();
  const Clock::time_point begin = Clock::now();
  uint64_t sum = 0;
  peak_.Clear();
  for (const auto& [pid, process] : processes_->living()) {
    if (process.rss_bytes == 0) continue;
    proto::Process* message = peak_.add_processes();
    message->set_pid(pid);
    message->set_kind(NameOf(process.kind));
    message->set_alive(true);
    if (process.last_task_attempt_id) message->set_last_task_attempt_id(*process.last_task_attempt_id);
    ReadNow(process, with_pss, message);
    sum += message->peak_rss_bytes();
  }
  if (with_pss) {
    pss_at_ = Clock::now();
    pss_cost_ = pss_at_ - begin;
  }
  peak_.set_order_bytes(used);
  if (sum_of_processes) used = sum;
  peak_.set_time_ms(EpochMs());
  peak_.set_used_bytes(used);
  peak_.set_unattributed_bytes(static_cast<int64_t>(used) - static_cast<int64_t>(sum));
  AddRow("heap.used", spark_.heap_used, peak_.mutable_regions());
  AddRow("heap.storage", spark_.storage, peak_.mutable_regions());
  AddRow("heap.execution", spark_.execution, peak_.mutable_regions());
  AddRow("offHeap", options_.offheap_live_bytes(), peak_.mutable_regions());
  for (const int64_t task : options_.running_tasks()) peak_.add_active_tasks(task);
}

// Called while last_ is still the tick before, in which they lived.
void Watcher::TellDeaths() {
  kernel_kills_.Read(cgroup_ == nullptr ? std::nullopt : cgroup_->OomKills(), Clock::now());
  std::vector<WatchedProcess> gone = processes_->TakeGone();
  // The kernel takes the largest.
  std::stable_sort(gone.begin(), gone.end(), [](const auto& a, const auto& b) { return a.rss_bytes > b.rss_bytes; });
  for (const WatchedProcess& process : gone) {
    const std::optional<uint64_t> kills = kernel_kills_.Take();
    if (process.kind == ProcessKind::kPythonWorker) options_.worker_died({process, last_, kills, limit_});
  }
}

void Watcher::SendEarly() {
  sent_use_ = largest_use_;
  sent_at_ = Clock::now();
  options_.send(Build());
  options_.early();
}

void Watcher::SendIfGrown() {
  const Clock::time_point now = Clock::now();
  const bool grown = largest_use_ > sent_use_ + sent_use_ / 50;  // by 2 %
  if (!grown || now - sent_at_ < kSendEvery) return;
  sent_use_ = largest_use_;
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
  if (limit_) snapshot.set_cgroup_limit_bytes(*limit_);
  snapshot.set_cgroup_shared(shared_);
  if (host_memory_ != 0) snapshot.set_host_memory_bytes(host_memory_);
  if (spark_peak_.heap_max != 0) {
    snapshot.set_heap_max_bytes(spark_peak_.heap_max);
    snapshot.set_heap_used_peak_bytes(spark_peak_.heap_used);
    snapshot.set_spark_storage_peak_bytes(spark_peak_.storage);
    snapshot.set_spark_execution_peak_bytes(spark_peak_.execution);
  }
  snapshot.set_offheap_peak_bytes(offheap_peak_);

  std::vector<const WatchedProcess*> processes;
  for (const auto& [pid, process] : processes_->living()) processes.push_back(&process);
  for (const WatchedProcess& process : processes_->dead()) processes.push_back(&process);
  std::stable_sort(processes.begin(), processes.end(),
                   [](const WatchedProcess* a, const WatchedProcess* b) { return a->peak_bytes > b->peak_bytes; });
  for (const WatchedProcess* process : processes) {
    if (process->peak_bytes != 0) Describe(*process, options_.withheld, snapshot.add_processes());
  }
  *snapshot.mutable_at_peak() = peak_;
  *snapshot.mutable_last() = last_;
  const std::optional<uint64_t> oom_kills = cgroup_ == nullptr ? std::nullopt : cgroup_->OomKills();
  if (oom_kills && limit_) {
    snapshot.set_cgroup(ValidUtf8(cgroup_->path()));
    snapshot.set_oom_kills(*oom_kills);
    if (oom_kills_at_start_) snapshot.set_oom_kills_at_start(*oom_kills_at_start_);
  }
  if (oom_kills && oom_kills_at_start_ && *oom_kills > *oom_kills_at_start_) {
    proto::Counter* counter = snapshot.add_counters();
    counter->set_name("oomKills");
    counter->set_value(*oom_kills - *oom_kills_at_start_);
  }
  options_.complete(&snapshot);
  return snapshot;
}

}  // namespace memprof
