// Agent's last words: what leaves early because the container may be gone a moment later, and what is said of a Python
// worker that is gone. All of it on the watcher's thread.
#include "agent/agent.h"
#include "base/clock.h"
#include "boxes/worker_death.h"
#include "offheap/left_message.h"
#include "watch/in_turn.h"

namespace memprof {
namespace {

constexpr size_t kInterimBytes = 8 << 10;  // twice what a heartbeat carries: these may be the last
constexpr size_t kMostTasks = 32;          // their profiles; a message queue has its bounds, too
// Of what is said again every twenty seconds (decision 0313): 500 executors come to 200 KiB a second.
constexpr size_t kSomeBytes = 8 << 10, kSomeTasks = 4;

}  // namespace

std::vector<std::string> Agent::RunningTasks() {
  std::vector<std::string> envelopes;
  size_t seen = 0;
  for (const int64_t task : tasks_.Running()) {
    if (++seen > kMostTasks) break;
    std::string envelope = TaskSnapshot(task, kInterimBytes);
    if (!envelope.empty()) envelopes.push_back(std::move(envelope));
  }
  return envelopes;
}

void Agent::SendRunningTasks() {
  for (std::string& envelope : RunningTasks()) messages_.Put(std::move(envelope));
}

void Agent::SendSomeTasks() {
  const std::vector<int64_t> tasks = InTurn(tasks_.Running(), said_last_, kSomeTasks);
  for (const int64_t task : tasks) {
    said_last_ = task;
    std::string envelope = TaskSnapshot(task, kSomeBytes / tasks.size());
    if (!envelope.empty()) messages_.Put(std::move(envelope));
  }
}

void Agent::SendLeftBehind(const Application& application) {
  const std::vector<LeftSite> sites = left_behind_.Sites(tasks_);
  if (sites.empty() && !std::exchange(said_left_, false)) return;
  said_left_ = !sites.empty();
  proto::Envelope envelope;
  *envelope.mutable_left_off_heap() = BuildLeft(sites, EpochMs());
  Send(application, std::move(envelope));
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
