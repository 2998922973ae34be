// BoxKeeper: maintains this executor's black boxes. About twice a second it notes which processes live (BoxPlace::last_seen), and reports
// which task each worker served last and the rows of its memory, and which have ended in the middle of a task. It reports the boxes of
// executors that died on this host and removes them. It gives sessions that no task's end will read back to their writers. It removes the
// boxes of processes that are gone, once nobody needs their contents.
//
// A box is needed while a task of one of its unread sessions runs, and for five seconds after, because a task's end reads its
// sessions itself and acknowledges them. Sessions without a task are not needed, and neither is the process-level one.
// Thread-safe, except that Start and Stop must not run at the same time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/background_thread.h"
#include "boxes/executor_boxes.h"
#include "boxes/orphaned_boxes.h"
#include "boxes/process_rss.h"
#include "boxes/worker_death.h"

namespace memprof {

struct BoxKeeperOptions {
  BoxPlace boxes;
  std::function<std::vector<int64_t>()> running_tasks;
  std::function<void(const ProcessName& process, int64_t task_attempt_id)> last_task;
  std::function<void(const ProcessRss&)> rss;
  std::function<void(const EndedProcess&)> ended;   // once for each box, as long as it is there
  std::function<void(const OrphanedTask&)> orphan;  // several executors of the host may report the same task
  std::function<void(const std::string&)> refusal;  // why Python workers are not profiled (python_refusal.h)
  std::function<void()> words;                      // looks for last words of JVMs that died on this host; may be empty
  std::chrono::milliseconds grace{5000};            // from a task's end until its unread sessions are given up
};

class BoxKeeper {
 public:
  Status Start(BoxKeeperOptions options);
  void Stop();  // removes all boxes, except those of living processes with an open task session

 private:
  using Clock = std::chrono::steady_clock;
  using Overdue = std::map<std::pair<std::string, uint64_t>, Clock::time_point>;  // path, session -> since when

  std::chrono::milliseconds Round();
  void TellOrphans();
  bool IsNeeded(const std::string& path, BoxReader& box, const std::vector<int64_t>& running, Overdue* overdue);

  BoxKeeperOptions options_;
  Overdue overdue_;
  std::set<std::string> ended_;  // paths of those that were reported
  Clock::time_point orphans_at_;
  BackgroundThread thread_;
};

}  // namespace memprof
