#include "intake/host_kills.h"

#include <string>

namespace memprof {

void WantHostKills(std::string_view removed_id, StoreState& state) {
  const ExecutorFacts& removed = state.Executor(removed_id);
  proto::ExecutorSnapshot last;
  if (!last.ParseFromArray(removed.snapshot.data(), static_cast<int>(removed.snapshot.size()))) return;
  if (!last.has_host_oom_kills() || last.boot_id().empty()) return;
  if (state.wanted_host_kills.size() == StoreState::kMostWantedHostKills) state.wanted_host_kills.pop_front();
  state.wanted_host_kills.push_back({std::string(removed_id), last.boot_id(), removed.removed_ms});
}

void TakeHostKills(std::string_view executor_id, const proto::ExecutorSnapshot& snapshot, StoreState& state) {
  if (state.wanted_host_kills.empty() || !snapshot.has_host_oom_kills()) return;
  // The driver's Spark learns of an end when it is over. A smaller difference between the clocks of two hosts is not corrected.
  const int64_t read_ms = state.Executor(executor_id).clock.ToDriver(snapshot.taken_ms()) - RemoteClock::kSameMs;
  std::erase_if(state.wanted_host_kills, [&](const WantedHostKills& wanted) {
    if (wanted.boot_id != snapshot.boot_id() || wanted.executor_id == executor_id || wanted.removed_ms > read_ms) return false;
    const auto removed = state.executors.find(std::string_view(wanted.executor_id));
    if (removed != state.executors.end()) removed->second.host_kills_after = HostKills{std::string(executor_id), snapshot.host_oom_kills()};
    return true;
  });
}

}  // namespace memprof
