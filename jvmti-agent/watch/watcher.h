// Watcher: a native thread that keeps the executor's peaks, of each process and of the container, and sends a snapshot
// to the driver early enough to outlive a kill.
//
// Ticks: every 20 ms while use is above half of the limit (or of what the cluster manager grants, where it enforces that itself),
// every 200 ms below; every 100 ms without a limit. A tick reads what the container uses. It also looks at the processes if use has
// moved by 1 % of the limit since the last look, if tasks have started or ended, or if the last look is a second old. Without a limit
// by cgroup every tick looks at the processes.
//
// A new maximum of use is the peak moment (peak_moment.h): regions and processes are read at that tick and add up to it (with
// `unattributed`). A snapshot is sent when the maximum has grown by 2 % (at most once a second), when use has moved by a tenth of the
// limit (at most every five seconds), when use nears the limit (early_warning.h), and at the end. Every snapshot has the last tick,
// too. Some ticks become samples of the executor's life (time_line.h), made from what the tick has read already.
//
// Thread-safe, except that Start and Stop must not run at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/address_range.h"
#include "base/background_thread.h"
#include "base/shortcomings.h"
#include "proto/memprof.pb.h"
#include "rss/jvm_rss_meter.h"
#include "system/memory_cgroup.h"
#include "system/memory_pressure.h"
#include "watch/early_warning.h"
#include "watch/kernel_kills.h"
#include "watch/kill_counter.h"
#include "watch/news.h"
#include "watch/peak_moment.h"
#include "watch/process_watch.h"
#include "watch/resident_code.h"
#include "watch/swap_watch.h"
#include "watch/time_line.h"

namespace memprof {

// A Python process that is gone.
struct DeadWorker {
  ProcessName process;
  int64_t time_ms = 0;                  // when it was found gone
  std::optional<proto::Moment> before;  // the tick before, with the process; absent: no tick has seen it
  // Which of the kernel's kills in the cgroup explains this death; absent: not known. Each kill explains one death only, so call it only
  // for a process that was killed.
  std::function<std::optional<KernelKills::Explained>()> take_kill;
  bool killed_on_host = true;  // false: the kernel has killed nothing on this host within the last seconds
  std::optional<uint64_t> limit_bytes;
};

// A process that the kernel has killed: a program which a Python worker had started, or the driver's own Python.
struct DeadProgram {
  ProcessName owner;  // the worker; pid 0: it is the driver's
  ProcessName process;
  std::string name;      // of a program
  int64_t time_ms = 0;   // when it was found gone
  proto::Moment before;  // the tick before, with the program
  std::optional<uint64_t> limit_bytes;
};

// The garbage collectors' pauses since the JVM's start.
struct PauseSums {
  uint64_t count = 0;
  int64_t total_ns = 0;
};

struct WatcherOptions {
  std::string host;
  std::string java_version;
  std::string agent_loaded;       // "agentpath" or "jar"
  bool with_driver = false;       // local mode: the driver's Python process is watched, too
  uint64_t granted_bytes = 0;     // bound on all processes together that the cluster manager enforces without a cgroup; 0: it doesn't
  bool counts_processes = false;  // it does so by the sum of their resident memory (YARN), whatever group they are in
  bool withheld = false;          // names of the user's own Python modules (profile/withheld.h), and of programs
  std::function<uint64_t()> offheap_live_bytes;
  std::function<std::optional<uint64_t>()> native_live_bytes;   // of JNI libraries; nothing: they aren't watched
  std::function<std::optional<uint64_t>()> heap_used_after_gc;  // nothing before the first collection
  std::function<std::vector<AddressRange>()> offheap_blocks;    // large ones, in order of address
  std::function<PauseSums()> pauses;
  std::function<std::vector<int64_t>()> running_tasks;
  std::function<std::map<int32_t, uint32_t>()> running_stages;  // and how many of their tasks run
  std::function<void(proto::ExecutorSnapshot*)> complete;       // counters and what isn't available
  std::function<void(const proto::ExecutorSnapshot&)> send;
  std::function<void(proto::TimeLine)> send_time_line;
  // Sends what else must be sent early, because use climbs towards the limit or (`climbs` false) has stayed near it for a while.
  std::function<void(bool climbs)> early;
  std::function<void()> looked;                        // after a look at the processes, when all else is sent
  std::function<void(const DeadWorker&)> worker_died;  // it may have ended normally
  std::function<void(const DeadProgram&)> program_killed;
  std::function<void(const DeadProgram&)> driver_killed;  // empty: whoever has started the driver tells of it
};

class Watcher {
 public:
  Status Start(WatcherOptions options);
  void Stop();  // sends the last snapshot

  void TaskStarted() { task_starts_.fetch_add(1, std::memory_order_relaxed); }
  void TaskEnded() { task_ends_.fetch_add(1, std::memory_order_relaxed); }
  News& news() { return news_; }
  proto::ExecutorSnapshot Snapshot();  // as of the last tick; empty before the first

 private:
  using Clock = std::chrono::steady_clock;

  std::chrono::milliseconds Round();
  void NoteStarts(Clock::time_point now);
  bool StandsStill(Clock::time_point now);
  Result<CgroupUse> ReadUse();
  void ReadLimit();
  bool MayHaveStartedMore(Clock::time_point now);
  void Look(bool anew);  // anew: reads what changes rarely, too
  void MeasureJvm();
  void RememberLast(uint64_t used);
  google::protobuf::RepeatedPtrField<proto::NamedBytes> RegionsNow() const;
  void TakeSample(bool anyhow);
  TimeSample SampleNow() const;
  void SendTimeLine();
  void SendDeaths();
  void SendWorkerDeath(const WatchedProcess& process);
  void SendKilled(const WatchedProcess& process);
  bool HeldToGrant() const;
  bool HeldToHost() const;
  bool StaysNear() const;
  void SendEarly();
  void SayEarly(bool climbs);
  void SendIfGrown();
  void ReadHostKills();
  void Send(Clock::time_point now);
  proto::ExecutorSnapshot Build() const;
  void FindContainer();
  std::optional<uint64_t> LimitOfGroup() const;
  bool IsOfWider(std::optional<uint64_t> limit) const;
  void TakeLimit(std::optional<uint64_t> limit);
  uint64_t HostMemory() const;
  void TakeHostAvailable(std::optional<uint64_t> bytes);
  void FollowLimit();
  void FindPressure();

  std::atomic<uint64_t> task_starts_{0}, task_ends_{0};

  News news_;
  std::mutex mutex_;
  proto::ExecutorSnapshot latest_;  // guarded by mutex_

  // Used by the watcher's thread, and by the caller of Start and Stop while that thread doesn't run.
  WatcherOptions options_;
  ResidentCode code_;
  ProcFiles proc_;
  std::unique_ptr<MemoryCgroup> cgroup_;  // null: none
  uint64_t host_memory_ = 0;
  std::optional<uint64_t> wider_limit_;     // of a group around several containers; absent: there is none
  std::optional<uint64_t> host_available_;  // as of the last look `anew`; no more than such a group has
  std::optional<ProcessWatch> processes_;
  std::optional<JvmRssMeter> jvm_rss_;
  std::optional<uint64_t> limit_;
  int missed_limits_ = 0;     // in a row
  bool read_cgroup_ = false;  // its use has been read before
  bool shared_ = false;
  std::string why_unseen_;     // a limit that there may be; "": there is none but those that are seen
  Shortcomings shortcomings_;  // of the watcher, since Start
  KillCounter kill_counter_;
  std::optional<uint64_t> host_kills_at_start_, host_kills_now_;
  int64_t host_kills_read_ms_ = 0;  // when that was
  std::string boot_id_;
  SparkNews spark_;  // as of the last look
  uint64_t offheap_peak_ = 0;
  uint64_t sent_use_ = 0, sent_last_ = 0;
  uint64_t usage_ = 0;  // of the container, with page cache
  std::chrono::milliseconds pace_{0};
  uint64_t processes_bytes_ = 0;  // of all, at the last look
  PeakMoment peak_;
  SwapWatch swap_;
  proto::Moment last_;
  EarlyWarning early_warning_, grant_warning_, host_warning_;
  TimeLine time_line_;
  uint64_t early_words_ = 0;
  uint64_t known_starts_ = 0, sampled_starts_ = 0, sampled_ends_ = 0;
  uint64_t seen_ends_ = 0;              // before the last look at the processes
  std::map<int32_t, uint32_t> stages_;  // that ran then, and how many of their tasks
  PauseSums sampled_pauses_;
  std::optional<MemoryPressure> pressure_file_;
  std::optional<uint32_t> pressure_;
  KernelKills kernel_kills_, host_kills_;
  Clock::time_point built_at_, usage_at_, sent_at_, renewed_at_, started_at_, discovered_at_, sharing_checked_at_, pressure_at_, early_at_;

  BackgroundThread thread_;  // last: it ends before what it uses
};

}  // namespace memprof
