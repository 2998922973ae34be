#include "report/cut.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace memprof {
namespace {

ReportOriginSum& RemainderOf(Origin origin, ReportSiteGroup& group) {
  auto found = std::find_if(group.remainders.begin(), group.remainders.end(), [&](const auto& sum) { return sum.origin >= origin; });
  if (found != group.remainders.end() && found->origin == origin) return *found;
  return *group.remainders.insert(found, {origin, 0, 0, 0, std::nullopt});
}

}  // namespace

size_t KeepHeaviest(size_t sites, size_t lines, ReportSiteGroup& group) {
  std::map<Origin, size_t> kept;
  std::vector<std::optional<uint32_t>> moved(group.sites.size());  // the new index of each site
  std::vector<ReportSite> rows;
  for (size_t i = 0; i < group.sites.size(); ++i) {
    ReportSite& site = group.sites[i];
    if (kept[site.origin]++ < sites) {
      moved[i] = static_cast<uint32_t>(rows.size());
      rows.push_back(std::move(site));
      continue;
    }
    ReportOriginSum& rest = RemainderOf(site.origin, group);
    ++rest.sites;
    rest.allocated_bytes += site.allocated_bytes;
    rest.allocations += site.allocations;
  }
  const size_t gone = group.sites.size() - rows.size();
  group.sites = std::move(rows);
  if (group.lines.size() > lines) group.lines.resize(lines);
  for (ReportLine& line : group.lines) {
    std::vector<uint32_t> left;
    for (uint32_t site : line.sites) {
      if (site < moved.size() && moved[site]) left.push_back(*moved[site]);
    }
    line.sites = std::move(left);
  }
  return gone;
}

void KeepLargest(size_t most, std::vector<ReportProcess>& processes) {
  if (processes.size() > most) processes.resize(most);
}

void KeepLargest(size_t most, ReportMoment& moment) {
  for (size_t i = most; i < moment.processes.size(); ++i) {
    moment.unattributed_bytes += static_cast<int64_t>(moment.processes[i].peak_rss_bytes);
  }
  KeepLargest(most, moment.processes);
}

size_t RetainedSitesShown(size_t executors) {
  constexpr size_t kMostOfAll = 1500, kFewest = 3;  // a site is some 1.5 KiB of JSON
  return std::max(kFewest, kMostOfAll / std::max<size_t>(executors, 1));
}

void KeepLargest(size_t most, ReportHeapShortage& heap) {
  for (; heap.classes.size() > most; heap.classes.pop_back()) {
    ++heap.other_classes;
    heap.other_bytes += heap.classes.back().bytes;
  }
}

void KeepLargest(size_t most, ReportRetained& retained) {
  for (; retained.sites.size() > most; retained.sites.pop_back()) {
    ++retained.other_sites;
    retained.other_bytes += retained.sites.back().retained_bytes;
  }
}

void KeepLargest(size_t most, ReportDriver& driver) {
  for (; driver.actions.size() > most; driver.actions.pop_back()) {
    if (!driver.other_actions) driver.other_actions.emplace();
    const ReportAction& gone = driver.actions.back();
    ++driver.other_actions->actions;
    driver.other_actions->result_tasks += gone.result_tasks;
    driver.other_actions->result_bytes += gone.result_bytes;
    driver.other_actions->broadcast_bytes += gone.broadcast_bytes;
  }
}

}  // namespace memprof
