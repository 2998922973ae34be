#include "intake/host_kills.h"

#include <algorithm>
#include <string>

#include "facts/loss_reason.h"
#include "rollup/parsed_snapshot.h"

namespace memprof {
namespace {

constexpr size_t kMostIdBytes = 128;  // of an executor; a boot id has 36

}  // namespace

void WantHostKills(std::string_view removed_id, StoreState& state) {
  const ExecutorFacts& removed = state.Executor(removed_id);
  const ParsedSnapshot last(removed);
  const LossReason loss = ParseLossReason(removed.removed_reason);
  if (!last->has_host_oom_kills() || last->boot_id().empty() || (!loss.exit_code && !loss.decommissioned)) return;
  if (std::max(removed_id.size(), last->boot_id().size()) > kMostIdBytes) return;
  std::deque<WantedHostKills>& all = state.wanted_host_kills;
  if (all.size() == StoreState::kMostWantedHostKills) {
    const auto least = std::find_if(all.begin(), all.end(), [](const WantedHostKills& each) { return each.decommissioned; });
    all.erase(least == all.end() ? all.begin() : least);
  }
  all.push_back({std::string(removed_id), last->boot_id(), last->host_oom_kills(), removed.removed_ms, loss.decommissioned});
}

void TakeHostKills(std::string_view executor_id, const proto::ExecutorSnapshot& snapshot, StoreState& state) {
  if (state.wanted_host_kills.empty() || !snapshot.has_host_oom_kills() || executor_id.size() > kMostIdBytes) return;
  // The earliest that it may have been read, by the driver's clock: a smaller difference between two clocks is not known, and a larger one
  // is not yet known well when the first message has taken long.
  const int64_t read_ms = std::max<int64_t>(snapshot.host_oom_kills_ms(), 0);
  const int64_t by_driver_ms = std::min(read_ms, state.Executor(executor_id).clock.ToDriver(read_ms)) - RemoteClock::kSameMs;
  std::erase_if(state.wanted_host_kills, [&](const WantedHostKills& wanted) {
    if (wanted.boot_id != snapshot.boot_id() || wanted.executor_id == executor_id || wanted.removed_ms > by_driver_ms) return false;
    const uint64_t count = snapshot.host_oom_kills();
    if (count < wanted.count) return false;  // an old reading
    const auto removed = state.executors.find(std::string_view(wanted.executor_id));
    if (removed != state.executors.end() && TellsOfAnEnd(count, wanted.count, by_driver_ms, wanted.removed_ms)) {
      removed->second.host_kills_after = HostKills{std::string(executor_id), count};
      ++state.host_kills_found;
    }
    return true;
  });
}

}  // namespace memprof
