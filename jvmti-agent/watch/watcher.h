// Watcher: a native thread that keeps the executor's peaks, of each process and of the container, and sends a snapshot
// to the driver early enough to outlive a kill.
//
// Ticks: every 20 ms while use is above half of the limit, every 200 ms below; every 100 ms without a limit. A new maximum of
// use is the peak moment: regions and processes are read at that tick and add up to it (with `unattributed`). Its processes are
// in PSS, which shares pages between forks; PSS costs 20 ms per GB, so it is read at most once a second and for at most 2 % of
// the time, and RSS takes its place otherwise. A snapshot is sent when the maximum grew by 2 %, at most one a second, when use
// nears the limit (early_warning.h), and at the end. Every snapshot has the last tick, too.
//
// Thread-safe. Start and Stop not against each other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/background_thread.h"
#include "proto/memprof.pb.h"
#include "system/memory_cgroup.h"
#include "watch/early_warning.h"
#include "watch/kernel_kills.h"
#include "watch/process_watch.h"

namespace memprof {

// What Spark's memory manager said last, in bytes.
struct SparkMemoryUse {
  uint64_t storage = 0, execution = 0, heap_used = 0, heap_max = 0, heap_committed = 0;
};

// A Python process that is gone, as the tick before saw it and the container.
struct DeadWorker {
  WatchedProcess process;
  proto::Moment before;
  std::optional<uint64_t> kernel_kills;  // of the kernel's in the cgroup: 1 = this one; absent: nobody counts
  std::optional<uint64_t> limit_bytes;
};

struct WatcherOptions {
  std::string host;
  std::string java_version;
  std::string agent_loaded;  // "agentpath" or "jar"
  bool with_driver = false;  // local mode: the driver's Python process is watched, too
  bool withheld = false;     // names of the user's own Python modules (profile/withheld.h)
  std::function<uint64_t()> offheap_live_bytes;
  std::function<std::vector<int64_t>()> running_tasks;
  std::function<void(proto::ExecutorSnapshot*)> complete;  // counters and what isn't available
  std::function<void(const proto::ExecutorSnapshot&)> send;
  std::function<void()> early;                         // use nears the limit: what else must leave, with the snapshot
  std::function<void(const DeadWorker&)> worker_died;  // may be a worker that ended in good order
};

class Watcher {
 public:
  Status Start(WatcherOptions options);
  void Stop();  // sends the last snapshot

  void SetSparkMemory(const SparkMemoryUse& use);
  void SetLastTask(int32_t pid, int64_t task_attempt_id);
  void SetRows(const ProcessRows& rows);
  void SetBaseline(const ProcessBaseline& baseline);
  proto::ExecutorSnapshot Snapshot();  // as of the last tick; empty before the first

 private:
  using Clock = std::chrono::steady_clock;

  std::chrono::milliseconds Round();
  void Look(bool discover);
  void TakeNews();  // what other threads have said since the last look
  void RememberMoment(uint64_t used, bool sum_of_processes);
  void RememberLast(uint64_t used);
  bool MayReadPss() const;
  void ReadNow(const WatchedProcess& process, bool with_pss, proto::Process* message) const;
  void TellDeaths();
  void SendEarly();
  void SendIfGrown();
  proto::ExecutorSnapshot Build() const;

  std::mutex mutex_;  // guards what other threads touch: the next six
  SparkMemoryUse spark_said_, spark_said_peak_;
  std::map<int32_t, int64_t> last_tasks_said_;
  // Kept until the process is discovered, and let go when it isn't.
  template <typename News>
  struct Said {
    News news;
    Clock::time_point at;
  };
  std::map<int32_t, Said<ProcessRows>> rows_said_;
  std::map<int32_t, Said<ProcessBaseline>> baselines_said_;
  proto::ExecutorSnapshot latest_;

  // Of the watcher's thread; of the caller of Start and Stop while it doesn't run.
  WatcherOptions options_;
  ProcFiles proc_;
  std::unique_ptr<MemoryCgroup> cgroup_;  // null: none
  uint64_t host_memory_ = 0;
  std::optional<ProcessWatch> processes_;
  std::optional<uint64_t> limit_;
  bool shared_ = false;
  std::optional<uint64_t> oom_kills_at_start_;
  SparkMemoryUse spark_, spark_peak_;
  uint64_t offheap_peak_ = 0;
  uint64_t largest_use_ = 0, sent_use_ = 0;
  proto::Moment peak_, last_;
  EarlyWarning early_warning_;
  KernelKills kernel_kills_;
  Clock::time_point built_at_, sent_at_, discovered_at_, pss_at_, sharing_checked_at_;
  Clock::duration pss_cost_{};

  BackgroundThread thread_;  // last: it ends before what it uses
};

}  // namespace memprof
