#include "postmortem/last_moment.h"

#include <algorithm>

namespace memprof {

proto::ExecutorSnapshot SnapshotOf(const ExecutorRecord& record) {
  proto::ExecutorSnapshot snapshot;
  if (!snapshot.ParseFromArray(record.snapshot.data(), static_cast<int>(record.snapshot.size()))) snapshot.Clear();
  return snapshot;
}

const proto::Moment* LastMoment(const proto::ExecutorSnapshot& snapshot) {
  if (snapshot.has_last()) return &snapshot.last();
  return snapshot.has_at_peak() ? &snapshot.at_peak() : nullptr;  // of an executor of an older version
}

std::vector<proto::WorkerDeath> WorkersThatDiedIn(const std::string& executor_id, const StoreState& state) {
  std::vector<proto::WorkerDeath> deaths;
  for (const auto& [key, bytes] : state.worker_deaths) {
    proto::WorkerDeath death;
    if (std::get<0>(key) == executor_id && death.ParseFromString(bytes)) deaths.push_back(std::move(death));
  }
  return deaths;
}

proto::Moment Without(const std::vector<proto::WorkerDeath>& dead, const proto::Moment& moment) {
  proto::Moment left = moment;
  left.clear_processes();
  for (const proto::Process& process : moment.processes()) {
    const bool is_gone = std::any_of(dead.begin(), dead.end(), [&](const proto::WorkerDeath& death) {
      return death.pid() == process.pid() && death.time_ms() >= moment.time_ms();
    });
    if (is_gone) {
      left.set_used_bytes(left.used_bytes() - std::min(left.used_bytes(), process.peak_rss_bytes()));
    } else {
      *left.add_processes() = process;
    }
  }
  return left;
}

}  // namespace memprof
