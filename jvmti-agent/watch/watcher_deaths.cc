// What the watcher tells of processes that are gone.
#include <chrono>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "watch/victims.h"
#include "watch/watcher.h"

namespace memprof {

// Call it before last_ is renewed: last_ is then the tick before, at which these processes still lived.
void Watcher::SendDeaths() {
  const Clock::time_point now = Clock::now();
  kernel_kills_.Read(cgroup_ == nullptr ? std::nullopt : cgroup_->OomKills(), now);
  std::vector<WatchedProcess> gone = processes_->TakeGone();
  if (!gone.empty()) {  // a reading costs 36 µs, too much for every tick
    ReadHostKills();    // so that a snapshot after their deaths has the kills that these were
    host_kills_.Read(host_kills_now_, now);
  }
  SortLikeliestFirst(&gone);
  for (const WatchedProcess& process : gone) {
    if (process.kind == ProcessKind::kPythonWorker) {
      SendWorkerDeath(process);
    } else if (!MayHaveEndedByItself(process)) {
      kernel_kills_.Take();
    } else if (WasLargest(process, gone, *processes_) && kernel_kills_.TakeSince(now - KernelKills::kLate)) {
      SendKilled(process);
    }
  }
}

void Watcher::SendWorkerDeath(const WatchedProcess& process) {
  const std::optional<Clock::time_point> found_gone = process.end ? std::optional(process.end->seen) : std::nullopt;
  const auto take_kill = [this, found_gone] { return kernel_kills_.Take(found_gone); };
  const auto age =
      found_gone ? std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - *found_gone) : std::chrono::milliseconds(0);
  options_.worker_died({{process.pid, process.start_ticks},
                        EpochMs() - age.count(),
                        process.end ? std::nullopt : std::optional(last_),
                        take_kill,
                        host_kills_.MayHaveKilled(),
                        limit_});
}

void Watcher::SendKilled(const WatchedProcess& process) {
  const DeadProgram dead = {process.owner, {process.pid, process.start_ticks}, process.name, EpochMs(), last_, limit_};
  if (process.kind == ProcessKind::kPythonDriver) {
    if (options_.driver_killed) options_.driver_killed(dead);
  } else if (process.owner.pid != 0) {
    options_.program_killed(dead);
  }
}

}  // namespace memprof
