#include "postmortem/lookups.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "postmortem/heap_errors.h"
#include "postmortem/incidents.h"
#include "report/same_process.h"
#include "rollup/parsed_snapshot.h"
#include "rollup/unexpected_end.h"

namespace memprof {
namespace {

constexpr int64_t kGoneTogetherMs = 1'000;  // the kernel's victim is gone so soon: a look at all processes comes once a second

Vanished VanishedOf(const proto::WorkerDeath& death) {
  Vanished vanished{death.time_ms(), death.pid(), death.oom_kills() > 0};
  for (const proto::Process& process : death.before().processes()) {
    if (SameProcess(process, death)) vanished.rss_bytes = process.peak_rss_bytes();
  }
  return vanished;
}

bool HasNoWordOfItsOwn(const proto::WorkerDeath& death, const StoreState& state) {
  if (death.signal() != 0 || !death.has_oom_kills() || death.counted_on_host()) return false;
  const auto task = state.tasks.find(death.task_attempt_id());
  return task == state.tasks.end() || FatalSignalOf(task->second, death.pid(), death.start_ticks()) == nullptr;
}

}  // namespace

uint64_t LiveBytesOf(const TaskFacts& task) { return task.profile ? LiveBytesOf(*task.profile) : 0; }

void PutFirst(const LastTask& task, std::vector<LastTask>& tasks) {
  const auto found =
      std::find_if(tasks.begin(), tasks.end(), [&](const LastTask& each) { return each.task_attempt_id == task.task_attempt_id; });
  if (found != tasks.end()) {
    std::rotate(tasks.begin(), found, found + 1);
  } else {
    tasks.insert(tasks.begin(), task);
  }
}

const Lookups::Tasks& Lookups::TasksOf(std::string_view executor_id) {
  if (!tasks_) {
    tasks_.emplace();
    for (const auto& [id, task] : state_.tasks) (*tasks_)[state_.interner->StringAt(task.executor)].emplace_back(id, &task);
  }
  static const Tasks kNone;
  const auto here = tasks_->find(executor_id);
  return here == tasks_->end() ? kNone : here->second;
}

namespace {

void MostFirst(std::vector<LastTask>& tasks) {
  std::sort(tasks.begin(), tasks.end(), [](const LastTask& a, const LastTask& b) {
    return std::pair(~a.live_bytes, a.task_attempt_id) < std::pair(~b.live_bytes, b.task_attempt_id);
  });
}

}  // namespace

std::vector<LastTask> Lookups::RunningOn(std::string_view executor_id) {
  std::vector<LastTask> running;
  for (const auto& [id, task] : TasksOf(executor_id)) {
    if (task->profile && task->profile->final) continue;
    if (task->ended && task->outcome != TaskOutcome::kLost) continue;
    running.push_back({id, task, LiveBytesOf(*task)});
  }
  MostFirst(running);
  return running;
}

std::vector<LastTask> Lookups::RunningAt(std::string_view executor_id, int64_t time_ms,
                                         const google::protobuf::RepeatedField<int64_t>& known) {
  std::vector<LastTask> running;
  for (const auto& [id, task] : TasksOf(executor_id)) {
    const bool has_times = task->ended && task->launched_ms != 0;
    const bool ran =
        has_times ? task->launched_ms <= time_ms && time_ms <= task->end_ms : std::find(known.begin(), known.end(), id) != known.end();
    if (ran) running.push_back({id, task, LiveBytesOf(*task)});
  }
  MostFirst(running);
  return running;
}

std::optional<LastTask> Lookups::LastFailedOn(std::string_view executor_id, int64_t removed_ms) {
  std::optional<LastTask> last;
  for (const auto& [id, task] : TasksOf(executor_id)) {
    if (!task->ended || task->outcome != TaskOutcome::kFailed || task->end_ms + kEndsWithinMs < removed_ms) continue;
    if (!last || std::pair(task->end_ms, id) > std::pair(last->task->end_ms, last->task_attempt_id))
      last = LastTask{id, task, LiveBytesOf(*task)};
  }
  return last;
}

// Of ten thousand that died one after another on a host each asks for its next.
const Lookups::Start* Lookups::NextOf(const std::vector<Start>& starts, std::string_view executor_id, uint64_t oom_kills,
                                      uint64_t removed_event) {
  const auto from = [&](uint64_t kills) {
    return std::lower_bound(starts.begin(), starts.end(), std::pair(kills, removed_event),
                            [](const Start& start, const auto& wanted) { return std::pair(start.oom_kills, start.added_event) < wanted; });
  };
  for (auto next = from(oom_kills); next != starts.end();) {  // with fewer kills it is another cgroup of the same name
    if (next->added_event < removed_event) {
      next = from(next->oom_kills);
    } else if (next->executor_id == executor_id) {
      ++next;
    } else {
      return &*next;
    }
  }
  return nullptr;
}

const std::vector<Vanished>& Lookups::VanishedIn(const std::string& executor_id) {
  const auto [known, is_new] = vanished_.try_emplace(executor_id);
  if (!is_new) return known->second;
  ForEachWorkerDeathIn(executor_id, state_.worker_deaths, [&](const proto::WorkerDeath& death) {
    if (WasKilledOrFailed(death, state_) && HasNoWordOfItsOwn(death, state_)) known->second.push_back(VanishedOf(death));
  });
  std::stable_sort(known->second.begin(), known->second.end(), [](const Vanished& a, const Vanished& b) { return a.time_ms < b.time_ms; });
  return known->second;
}

std::optional<int32_t> Lookups::RivalOf(const std::string& executor_id, const proto::WorkerDeath& worker) {
  if (!HasNoWordOfItsOwn(worker, state_)) return std::nullopt;
  const Vanished own = VanishedOf(worker);
  const std::vector<Vanished>& all = VanishedIn(executor_id);
  auto other =
      std::lower_bound(all.begin(), all.end(), own.time_ms - kGoneTogetherMs, [](const Vanished& a, int64_t ms) { return a.time_ms < ms; });
  for (; other != all.end() && other->time_ms <= own.time_ms + kGoneTogetherMs; ++other) {
    if (other->explained == own.explained) continue;
    const Vanished &first = own.explained ? own : *other, &second = own.explained ? *other : own;
    const bool is_smaller = first.rss_bytes != 0 && second.rss_bytes != 0 && second.rss_bytes < first.rss_bytes / 2;
    if (second.time_ms >= first.time_ms && !is_smaller) return other->pid;  // the counter had not risen before the first was gone
  }
  return std::nullopt;
}

std::optional<LaterKills> Lookups::KillsInCgroup(std::string_view executor_id, const ExecutorFacts& facts,
                                                 const proto::ExecutorSnapshot& snapshot, uint64_t before) {
  const auto here = Starts().in_cgroups.find({snapshot.host(), snapshot.cgroup()});
  if (here == Starts().in_cgroups.end()) return std::nullopt;
  const Start* next = NextOf(here->second, executor_id, snapshot.oom_kills(), facts.removed_event);
  if (next == nullptr) return std::nullopt;
  return LaterKills{fmt::format("executor {}, the next one in it,", next->executor_id), next->oom_kills,
                    TellsOfAnEnd(next->oom_kills, before, next->added_ms, facts.removed_ms)};
}

std::optional<LaterKills> Lookups::KillsOnHost(std::string_view executor_id, const ExecutorFacts& facts,
                                               const proto::ExecutorSnapshot& snapshot) {
  std::optional<LaterKills> least;
  if (const auto here = Starts().on_hosts.find(snapshot.boot_id()); here != Starts().on_hosts.end()) {
    const Start* next = NextOf(here->second, executor_id, snapshot.host_oom_kills(), facts.removed_event);
    if (next != nullptr && TellsOfAnEnd(next->oom_kills, snapshot.host_oom_kills(), next->added_ms, facts.removed_ms))
      least = LaterKills{fmt::format("executor {}, the next one on its host,", next->executor_id), next->oom_kills};
  }
  const std::optional<HostKills>& beside = facts.host_kills_after;
  if (beside && beside->count >= snapshot.host_oom_kills() && (!least || beside->count < least->oom_kills)) {
    const std::string reader = beside->reader == "driver" ? "the driver" : fmt::format("executor {}", beside->reader);
    least = LaterKills{fmt::format("{}, on the same host,", reader), beside->count};
  }
  return least;
}

std::string Lookups::LostWithTheSameWorker(std::string_view executor_id, const ExecutorFacts& facts) {
  constexpr int64_t kAtOnceMs = 5'000;  // the master tells of all executors of a Worker in one go
  const auto same = FarFromTheirLimits().find(std::string_view(facts.removed_reason));
  if (same == FarFromTheirLimits().end()) return "";
  const std::string cgroup = ParsedSnapshot(facts)->cgroup();
  for (const OfWorker& other : same->second) {
    if (!cgroup.empty() && other.cgroup == cgroup) continue;
    if (other.executor_id != executor_id && std::abs(other.removed_ms - facts.removed_ms) <= kAtOnceMs)
      return std::string(other.executor_id);
  }
  return "";
}

const Lookups::Workers& Lookups::FarFromTheirLimits() {
  if (workers_) return *workers_;
  workers_.emplace();
  for (const auto& [id, facts] : state_.executors) {
    if (!facts.removed || !ParseLossReason(facts.removed_reason).with_worker) continue;
    const std::optional<double> share = LastShareOfLimit(facts, state_);
    if (!share || *share >= kNearlyFull) continue;
    (*workers_)[std::string_view(facts.removed_reason)].push_back(
        {std::string_view(id), facts.removed_ms, ParsedSnapshot(facts)->cgroup()});
  }
  return *workers_;
}

const Lookups::AllStarts& Lookups::Starts() {
  if (starts_) return *starts_;
  starts_.emplace();
  for (const auto& [id, facts] : state_.executors) {
    if (!facts.added) continue;
    const ParsedSnapshot parsed(facts);
    const proto::ExecutorSnapshot& snapshot = *parsed;
    if (snapshot.has_oom_kills_at_start()) {
      const Cgroup cgroup = {snapshot.host(), snapshot.cgroup()};
      starts_->in_cgroups[cgroup].push_back({snapshot.oom_kills_at_start(), facts.added_event, facts.added_ms, std::string(id)});
    }
    if (snapshot.has_host_oom_kills_at_start() && !snapshot.boot_id().empty()) {
      starts_->on_hosts[snapshot.boot_id()].push_back(
          {snapshot.host_oom_kills_at_start(), facts.added_event, facts.added_ms, std::string(id)});
    }
  }
  const auto sort = [](std::vector<Start>& starts) {
    std::sort(starts.begin(), starts.end(),
              [](const Start& a, const Start& b) { return std::tie(a.oom_kills, a.added_event) < std::tie(b.oom_kills, b.added_event); });
  };
  for (auto& [cgroup, starts] : starts_->in_cgroups) sort(starts);
  for (auto& [kernel, starts] : starts_->on_hosts) sort(starts);
  return *starts_;
}

}  // namespace memprof
