#include "postmortem/last_sites.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "facts/figures.h"
#include "facts/udf_row.h"

namespace memprof {
namespace {

constexpr size_t kHeapSites = 5;

struct Held {
  SiteFigures figures;
  uint64_t live_bytes = kUnmeasured;
  int64_t looked_ms = 0;  // the earliest of its tasks'; 0: not known
};

using HeldKey = std::tuple<int32_t, Origin, UdfId, StackId>;  // stage, …, shown stack

// As of a function, without PySpark's frames around it: which one it was is not known.
SiteKey LeftSite(StackId stack) { return {stack, 1, Origin::kPython}; }

// Of what was live then. The profile knows the error of the task's peak: it is the same where the peak was that moment.
std::optional<uint64_t> ErrorOf(const Held& held) {
  if (!held.figures.sampled) return 0;
  if (held.live_bytes != held.figures.live_at_peak_bytes || held.figures.peak_variance < 0) return std::nullopt;
  return static_cast<uint64_t>(std::llround(std::min(2 * std::sqrt(held.figures.peak_variance), 1e18)));
}

ReportSite SiteRow(const HeldKey& key, const Held& held, int64_t at_ms, const Interner& interner, const NamedStacks& stacks) {
  ReportSite row;
  const auto& [stage, origin, udf, stack] = key;
  row.origin = origin;
  row.udf = UdfRow(udf, interner);
  row.tasks = held.figures.tasks;
  row.allocated_bytes = held.figures.allocated_bytes;
  row.allocations = held.figures.allocations;
  row.sampled = held.figures.sampled;
  if (held.live_bytes != kUnmeasured) row.live_at_peak_bytes = held.live_bytes;
  // A reading of the task's peak; it says nothing of a later moment at which less was held.
  bool still = held.figures.live_at_peak_bytes == held.live_bytes && held.figures.resident_at_peak_bytes != kUnmeasured;
  if (still) {
    row.resident_at_peak_bytes = held.figures.resident_at_peak_bytes;
    row.resident_in_part = IsResidentInPart(held.figures);
    row.resident_later_bytes = ResidentLater(held.figures);
    if (held.looked_ms != 0 && held.looked_ms <= at_ms) row.resident_age_ms = at_ms - held.looked_ms;
  }
  if (row.live_at_peak_bytes) row.error_bytes = ErrorOf(held);
  row.frames = stacks.Frames(stack);
  if (stage >= 0) row.stage_id = stage;
  return row;
}

// By shown stack, what ended tasks had left in the workers of these. A worker serves one task at a time, so of two that speak of one worker
// the later knows more.
std::map<StackId, uint64_t> LeftIn(const std::vector<LastTask>& tasks, const NamedStacks& stacks) {
  const auto worker_of = [](const InternedLeft& left) { return std::pair(left.pid, left.start_ticks); };
  std::map<std::pair<int32_t, uint64_t>, const InternedProfile*> latest;
  for (const LastTask& last : tasks) {
    if (!last.task->profile) continue;
    for (const InternedLeft& left : last.task->profile->left) {
      const InternedProfile*& profile = latest[worker_of(left)];
      if (profile == nullptr || profile->taken_ms < last.task->profile->taken_ms) profile = &*last.task->profile;
    }
  }
  std::map<StackId, uint64_t> sums;
  for (const auto& [worker, profile] : latest) {
    for (const InternedLeft& left : profile->left) {
      if (worker_of(left) == worker && left.live_bytes != 0) sums[stacks.ShownStack(LeftSite(left.stack))] += left.live_bytes;
    }
  }
  return sums;
}

ReportSite LeftRow(StackId shown, uint64_t bytes, const NamedStacks& stacks) {
  ReportSite row;
  row.origin = Origin::kPython;
  row.left_by_earlier_tasks = true;
  row.allocated_bytes = bytes;
  row.live_at_peak_bytes = bytes;
  row.sampled = true;  // some of it may be
  row.frames = stacks.Frames(shown);
  return row;
}

}  // namespace

uint64_t LiveAt(const InternedProfile& profile, size_t site) {
  const SiteFigures& figures = profile.sites[site].figures;
  return profile.died() ? figures.live_at_end_bytes : figures.live_at_peak_bytes;
}

uint64_t LiveBytesOf(const InternedProfile& profile) {
  uint64_t sum = 0;
  for (size_t i = 0; i < profile.sites.size(); ++i) {
    if (uint64_t live = LiveAt(profile, i); live != kUnmeasured) sum += live;
  }
  return sum;
}

std::vector<ReportSite> SitesAtLastSample(const std::vector<LastTask>& tasks, int64_t at_ms, const Interner& interner,
                                          const NamedStacks& stacks, size_t most, bool& awaits_names) {
  std::map<HeldKey, Held> sites;
  for (const LastTask& last : tasks) {
    if (!last.task->profile) continue;
    std::map<HeldKey, Held> of_task;
    for (size_t i = 0; i < last.task->profile->sites.size(); ++i) {
      const InternedSite& site = last.task->profile->sites[i];
      if (last.off_heap_is_told && site.key.origin == Origin::kJvmOffHeap) continue;
      if (last.native_is_told && site.key.origin == Origin::kJvmNative) continue;
      HeldKey key{last.task->stage_id, site.key.origin, site.key.udf, stacks.ShownStack(site.key)};
      uint64_t live = LiveAt(*last.task->profile, i);
      auto [entry, added] = of_task.try_emplace(key, Held{site.figures, live, last.task->profile->looked_ms});
      if (added) continue;
      AddWithinTask(site.figures, entry->second.figures);
      if (live != kUnmeasured) entry->second.live_bytes = live + (entry->second.live_bytes == kUnmeasured ? 0 : entry->second.live_bytes);
    }
    for (const auto& [key, held] : of_task) {
      auto [entry, added] = sites.try_emplace(key, held);
      if (added) continue;
      Held& sum = entry->second;
      uint32_t both = sum.figures.tasks + held.figures.tasks;
      AddWithinTask(held.figures, sum.figures);  // at once, like the parts of one task
      sum.figures.tasks = both;
      sum.looked_ms = EarliestKnown(sum.looked_ms, held.looked_ms);
      if (held.live_bytes != kUnmeasured) sum.live_bytes = held.live_bytes + (sum.live_bytes == kUnmeasured ? 0 : sum.live_bytes);
    }
  }
  std::vector<std::pair<StackId, ReportSite>> rows;  // shown stack
  for (const auto& [key, held] : sites) {
    if (held.live_bytes == 0) continue;  // given back before
    rows.emplace_back(std::get<3>(key), SiteRow(key, held, at_ms, interner, stacks));
  }
  for (const auto& [stack, bytes] : LeftIn(tasks, stacks)) rows.emplace_back(stack, LeftRow(stack, bytes, stacks));
  auto order = [](const ReportSite& site) {  // by text last, for ids depend on the order in which messages came
    return std::tuple(!site.live_at_peak_bytes, ~site.live_at_peak_bytes.value_or(0), ~site.allocated_bytes, site.origin, site.udf,
                      site.frames, site.stage_id, site.left_by_earlier_tasks);
  };
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return order(a.second) < order(b.second); });
  std::vector<ReportSite> shown;
  size_t measured = 0, heap = 0;
  for (auto& [stack, row] : rows) {
    bool fits = row.live_at_peak_bytes ? ++measured <= most : ++heap <= kHeapSites;
    if (!fits) continue;
    awaits_names = awaits_names || stacks.AwaitsName(stack);
    shown.push_back(std::move(row));
  }
  return shown;
}

}  // namespace memprof
