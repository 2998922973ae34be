#include "rollup/stage_sums.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <unordered_set>

#include "rollup/accounting.h"
#include "rollup/site_rollup.h"

namespace memprof {
namespace {

constexpr size_t kBytesAtOnce = 16 << 10;  // enough for most stages without malloc, which took most of the time here

void AddAllocated(const OriginFigures& other, OriginFigures& sum) {
  sum.sites += other.sites;
  sum.allocated_bytes += other.allocated_bytes;
  sum.allocations += other.allocations;
}

void Raise(uint64_t live_at_peak_bytes, OriginFigures& sum) {
  sum.live_at_peak_bytes = std::max(sum.live_at_peak_bytes, live_at_peak_bytes);
}

}  // namespace

void StageSums::Add(const StageSums& other) {
  stages += other.stages;
  tasks += other.tasks;
  other_attempts += other.other_attempts;
  measured_live |= other.measured_live;
  for (size_t origin = 0; origin < kOrigins; ++origin) {
    AddAllocated(other.totals[origin], totals[origin]);
    Raise(other.totals[origin].live_at_peak_bytes, totals[origin]);
  }
}

ReportOtherStages StageSums::Row() const {
  ReportOtherStages row{stages, tasks, other_attempts, {}};
  for (size_t origin = 0; origin < kOrigins; ++origin) {
    const OriginFigures& sum = totals[origin];
    if (sum.sites == 0 && sum.allocated_bytes == 0) continue;
    ReportOriginSum& total = row.totals.emplace_back();
    total = {static_cast<Origin>(origin), sum.sites, sum.allocated_bytes, sum.allocations, std::nullopt};
    if (measured_live >> origin & 1) total.live_at_peak_bytes = sum.live_at_peak_bytes;
  }
  return row;
}

StageSums SumsOf(const StageFacts& stage, const std::vector<AccountedTask>& tasks) {
  StageSums sums;
  sums.stages = 1;
  for (size_t account = 0; account < kAccounts; ++account) {
    (account == static_cast<size_t>(Account::kCounted) ? sums.tasks : sums.other_attempts) += stage.folded_accounts[account];
  }
  std::array<std::byte, kBytesAtOnce> buffer;
  std::pmr::monotonic_buffer_resource memory(buffer.data(), buffer.size());
  std::pmr::unordered_set<SiteKey, SiteKeyHash> sites(&memory);
  auto add_site = [&](const SiteKey& key, const SiteFigures& figures) {
    AddAllocated({sites.insert(key).second ? 1u : 0u, figures.allocated_bytes, figures.allocations, 0},
                 sums.totals[static_cast<size_t>(key.origin)]);
  };
  for (const auto& [key, figures] : stage.folded.sites) add_site(key, figures);
  for (size_t origin = 0; origin < kOrigins; ++origin) {
    AddAllocated(stage.folded.remainders[origin], sums.totals[origin]);
    Raise(stage.folded.live_at_peak_bytes[origin], sums.totals[origin]);
  }
  sums.measured_live = stage.folded.measured_live;
  for (const AccountedTask& task : tasks) {
    if (task.account != Account::kCounted) {
      ++sums.other_attempts;
      continue;
    }
    ++sums.tasks;
    if (!task.task->profile) continue;
    for (const InternedSite& site : task.task->profile->sites) add_site(site.key, site.figures);
    for (const auto& [origin, figures] : task.task->profile->remainders) AddAllocated(figures, sums.totals[static_cast<size_t>(origin)]);
    const TaskPeak peak(*task.task->profile);
    for (size_t origin = 0; origin < kOrigins; ++origin) Raise(peak.live_at_peak_bytes[origin], sums.totals[origin]);
    sums.measured_live |= peak.measured;
  }
  return sums;
}

}  // namespace memprof
