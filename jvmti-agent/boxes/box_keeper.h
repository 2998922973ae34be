// BoxKeeper: keeps this executor's black boxes in order while it lives. Twice a second it tells which task each worker
// served last and what its memory was made of, tells of the boxes of executors that died here and removes them, gives sessions back to
// their writers that no task's end will ask for, and removes the boxes of processes that are gone, once nobody needs what they hold.
//
// What a box holds is needed while a task of one of its unread sessions runs, and for five seconds after: a task's end
// reads its sessions itself and acknowledges them. Sessions of no task are not needed; nor is the process-level one.
// Thread-safe; Start and Stop not against each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/background_thread.h"
#include "boxes/executor_boxes.h"
#include "boxes/orphaned_boxes.h"
#include "boxes/process_rows.h"

namespace memprof {

struct BoxKeeperOptions {
  BoxPlace boxes;
  std::function<std::vector<int64_t>()> running_tasks;
  std::function<void(int32_t pid, int64_t task_attempt_id)> last_task;
  std::function<void(const ProcessRows&)> rows;
  std::function<void(const OrphanedTask&)> orphan;  // may come from several executors of the host
  std::function<void()> words;                      // look for last words of JVMs that died here; may be empty
  std::chrono::milliseconds grace{5000};            // from a task's end to when its unread sessions are given up
};

class BoxKeeper {
 public:
  Status Start(BoxKeeperOptions options);
  void Stop();  // removes all boxes, but for those of living processes with a task's session open

 private:
  using Clock = std::chrono::steady_clock;
  using Overdue = std::map<std::pair<std::string, uint64_t>, Clock::time_point>;  // path, session -> since when

  std::chrono::milliseconds Round();
  void TellOrphans();
  bool IsNeeded(const std::string& path, BoxReader& box, const std::vector<int64_t>& running, Overdue* overdue);

  BoxKeeperOptions options_;
  Overdue overdue_;
  Clock::time_point orphans_at_;
  BackgroundThread thread_;
};

}  // namespace memprof
