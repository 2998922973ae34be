#include "postmortem/last_moment.h"

#include <algorithm>
#include <optional>

#include "report/same_process.h"

namespace memprof {
namespace {

uint64_t LeftOutBytes(const proto::Moment& moment) {
  int64_t left_out = static_cast<int64_t>(moment.used_bytes()) - moment.unattributed_bytes();
  for (const proto::Process& process : moment.processes()) left_out -= static_cast<int64_t>(process.peak_rss_bytes());
  return static_cast<uint64_t>(std::max<int64_t>(0, left_out));
}

std::optional<uint64_t> RssOf(const proto::WorkerDeath& death, const proto::Moment& moment) {
  for (const proto::Process& process : moment.processes()) {
    if (SameProcess(process, death)) return process.peak_rss_bytes();
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> RegionOf(const proto::Moment& moment, std::string_view name) {
  const auto& rows = moment.regions();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const proto::NamedBytes& each) { return each.name() == name; });
  return row == rows.end() ? std::nullopt : std::optional<uint64_t>(row->bytes());
}

const proto::Moment* LastMoment(const proto::ExecutorSnapshot& snapshot) {
  if (snapshot.has_last()) return &snapshot.last();
  return snapshot.has_at_peak() ? &snapshot.at_peak() : nullptr;  // of an executor of an older version
}

std::vector<proto::WorkerDeath> WorkersThatDiedIn(const std::string& executor_id, const StoreState& state) {
  std::vector<proto::WorkerDeath> deaths;
  ForEachWorkerDeathIn(executor_id, state.worker_deaths, [&](const proto::WorkerDeath& death) { deaths.push_back(death); });
  return deaths;
}

proto::Moment Without(const std::vector<proto::WorkerDeath>& dead, const proto::Moment& moment) {
  proto::Moment left = moment;
  left.clear_processes();
  const auto forget = [&left](uint64_t bytes) { left.set_used_bytes(left.used_bytes() - std::min(left.used_bytes(), bytes)); };
  // A heartbeat that had no room for all processes left out the smallest: their sum is known.
  uint64_t left_out = LeftOutBytes(moment);
  for (const proto::WorkerDeath& death : dead) {
    if (death.time_ms() < moment.time_ms() || RssOf(death, moment)) continue;
    const uint64_t bytes = std::min(left_out, RssOf(death, death.before()).value_or(0));
    left_out -= bytes;
    forget(bytes);
  }
  for (const proto::Process& process : moment.processes()) {
    const bool is_gone = std::any_of(dead.begin(), dead.end(), [&](const proto::WorkerDeath& death) {
      return SameProcess(death, process) && death.time_ms() >= moment.time_ms();
    });
    if (is_gone) {
      forget(process.peak_rss_bytes());
    } else {
      *left.add_processes() = process;
    }
  }
  return left;
}

}  // namespace memprof
