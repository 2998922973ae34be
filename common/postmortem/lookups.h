// Lookups: what post-mortems look up for each death, found once for all of a report: which tasks ran in which executor, and which
// executors shared a cgroup one after another. Refers to the state. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "postmortem/last_sites.h"
#include "proto/memprof.pb.h"
#include "rollup/state.h"

namespace memprof {

uint64_t LiveBytesOf(const TaskFacts& task);  // 0: it has no profile

// Makes it the first of them. It may have failed before its executor was gone, and then it is not among those that ran to the end.
void PutFirst(const LastTask& task, std::vector<LastTask>& tasks);

// The kernel's count of kills in the cgroup of a dead executor, or on its host, as another one read it later.
struct LaterKills {
  std::string reader;  // as it is named in a sentence: "executor 2, the next one in it,"
  uint64_t oom_kills = 0;
  bool tells_of_end = true;  // TellsOfAnEnd
};

// A worker or a program that was found gone, with no word of its own about that.
struct Vanished {
  int64_t time_ms = 0;  // by its executor's clock
  int32_t pid = 0;
  bool explained = false;  // by the kernel's count of kills in its cgroup
  uint64_t rss_bytes = 0;  // at the last look at it; 0: not known
};

class Lookups {
 public:
  explicit Lookups(const StoreState& state) : state_(state) {}

  // Attempts that an executor took with it: no end was reported, or that they were lost, and no profile was final. Those that held most
  // come first.
  std::vector<LastTask> RunningOn(std::string_view executor_id);
  // Attempts that ran there at that moment of the driver's clock, in the same order. When a task was launched is known once it has
  // ended; `known`: of the others, those that were known to run then.
  std::vector<LastTask> RunningAt(std::string_view executor_id, int64_t time_ms, const google::protobuf::RepeatedField<int64_t>& known);
  // The task that failed last on an executor, at most kEndsWithinMs before it was gone: its error may be the JVM's last word.
  std::optional<LastTask> LastFailedOn(std::string_view executor_id, int64_t removed_ms);
  // Of those of an executor, another one of which the kernel may have killed either: they vanished within a second, the kernel's count
  // explains the first of them only, and the kernel, which takes the largest, may as well have chosen the second. Not where one of them may
  // have been ended by Spark, or the kernel's count is of the whole host.
  std::optional<int32_t> RivalOf(const std::string& executor_id, const proto::WorkerDeath& worker);
  // The least of what was counted after the executor was removed. `snapshot`: its last one. `before`: what was known then, not less than
  // what `snapshot` has.
  std::optional<LaterKills> KillsInCgroup(std::string_view executor_id, const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot,
                                          uint64_t before);
  // Likewise; only if that tells of its end.
  std::optional<LaterKills> KillsOnHost(std::string_view executor_id, const ExecutorFacts& facts, const proto::ExecutorSnapshot& snapshot);
  // Another one that was lost in the same moment with the same standalone Worker, and was far from any limit of its own, in another cgroup.
  // "": none is known. Precondition: `facts` was lost with its Worker.
  std::string LostWithTheSameWorker(std::string_view executor_id, const ExecutorFacts& facts);

 private:
  struct OfWorker {
    std::string_view executor_id;
    int64_t removed_ms = 0;
    std::string cgroup;
  };
  struct Start {
    uint64_t oom_kills = 0, added_event = 0;
    int64_t added_ms = 0;
    std::string executor_id;
  };
  using Tasks = std::vector<std::pair<int64_t, const TaskFacts*>>;  // by attempt id
  using Cgroup = std::pair<std::string, std::string>;               // host, the group's identity
  // By cgroup, and by the kernel that runs (boot_id); those that saw fewest kills first, and of them the first that came.
  struct AllStarts {
    std::map<Cgroup, std::vector<Start>> in_cgroups;
    std::map<std::string, std::vector<Start>> on_hosts;
  };

  const Tasks& TasksOf(std::string_view executor_id);
  const std::vector<Vanished>& VanishedIn(const std::string& executor_id);
  const AllStarts& Starts();
  using Workers = std::map<std::string_view, std::vector<OfWorker>>;  // by the reason, which has the Worker's address
  const Workers& FarFromTheirLimits();
  // Of those that came after an executor was removed, the one that saw fewest kills, but not fewer than `oom_kills`.
  static const Start* NextOf(const std::vector<Start>& starts, std::string_view executor_id, uint64_t oom_kills, uint64_t removed_event);

  const StoreState& state_;
  // Made when they are first wanted.
  std::optional<std::unordered_map<std::string_view, Tasks>> tasks_;  // by executor
  std::optional<AllStarts> starts_;
  std::optional<Workers> workers_;
  std::map<std::string, std::vector<Vanished>> vanished_;  // by executor, in the order of time
};

}  // namespace memprof
