// Agent's last words: what leaves early because the container may be gone a moment later, and what is said of a Python
// worker that is gone. All of it on the watcher's thread.
#include "agent/agent.h"
#include "base/clock.h"
#include "boxes/worker_death.h"

namespace memprof {
namespace {

constexpr size_t kInterimBytes = 4 << 10;
constexpr size_t kMostTasks = 32;  // their profiles; a message queue has its bounds, too

}  // namespace

void Agent::SendRunningTasks() {
  size_t sent = 0;
  for (const int64_t task : tasks_.Running()) {
    if (++sent > kMostTasks) break;
    std::string envelope = TaskSnapshot(task, kInterimBytes);
    if (!envelope.empty()) messages_.Put(std::move(envelope));
  }
}

void Agent::SendWorkerDeath(const Application& application, const DeadWorker& worker) {
  std::optional<proto::WorkerDeath> death = DeathOfWorker(application.Boxes(), worker.process.pid, worker.process.start_ticks);
  if (!death) return;
  death->set_time_ms(EpochMs());
  if (worker.kernel_kills) death->set_oom_kills(*worker.kernel_kills);
  if (worker.limit_bytes) death->set_limit_bytes(*worker.limit_bytes);
  *death->mutable_before() = worker.before;
  std::string profile = TaskSnapshot(death->task_attempt_id(), 0);
  if (!profile.empty()) messages_.Put(std::move(profile));
  proto::Envelope envelope;
  *envelope.mutable_worker_death() = std::move(*death);
  Send(application, std::move(envelope));
}

}  // namespace memprof
