#include "report/many_deaths.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "report/death_keys.h"
#include "report/units.h"

namespace memprof {

ChosenDeaths NewestAndLargest(size_t most, const std::vector<ReportPostMortem>& deaths) {
  std::vector<std::string> keys;
  for (const ReportPostMortem& death : deaths) keys.push_back(DeathKey(death));
  const auto by_time = [&](size_t a, size_t b) { return std::tie(deaths[a].time_ms, keys[a]) < std::tie(deaths[b].time_ms, keys[b]); };
  ChosenDeaths chosen;
  std::vector<size_t>& order = chosen.shown;
  order.resize(deaths.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), by_time);
  if (order.size() <= most) return chosen;
  const auto newest = order.end() - static_cast<ptrdiff_t>(most / 2);
  std::reverse(order.begin(), newest);  // of equally large ones the newer
  std::stable_sort(order.begin(), newest, [&](size_t a, size_t b) { return deaths[a].used_bytes > deaths[b].used_bytes; });
  const auto others = order.begin() + static_cast<ptrdiff_t>(most - most / 2);
  chosen.others.assign(others, newest);
  order.erase(others, newest);
  std::sort(order.begin(), order.end(), by_time);
  std::sort(chosen.others.begin(), chosen.others.end(), by_time);
  return chosen;
}

ReportOtherDeath InShort(const ReportPostMortem& death) {
  return {DeathKey(death), death.time_ms, death.executor_id, death.out_of_memory, death.headline, death.survived};
}

size_t SortAndBound(std::vector<ReportOtherDeath>& deaths) {
  std::sort(deaths.begin(), deaths.end(),
            [](const ReportOtherDeath& a, const ReportOtherDeath& b) { return std::tie(b.time_ms, a.key) < std::tie(a.time_ms, b.key); });
  const size_t dropped = deaths.size() - std::min(deaths.size(), kMaxOtherDeaths);
  deaths.resize(deaths.size() - dropped);
  return dropped;
}

void CountDroppedDeaths(uint64_t deaths, Report& report) {
  constexpr const char* kName = "droppedPostMortems";
  for (auto& [name, value] : report.counters) {
    if (name == kName) {
      value += deaths;
      return;
    }
  }
  report.counters.insert(report.counters.begin(), {kName, deaths});
}

std::string MoreDeaths(uint64_t deaths, uint64_t survived) {
  const char* what = survived == 0 ? "death" : survived == deaths ? "refusal" : "deaths and refusal";
  return fmt::format("{} more {}{}", FormatCount(deaths), what, deaths == 1 ? "" : "s");
}

size_t KeepWithinBounds(Report& report) {
  std::vector<ReportPostMortem> all = std::move(report.post_mortems);
  report.post_mortems.clear();
  const ChosenDeaths chosen = NewestAndLargest(kMaxPostMortems, all);
  std::set<std::string> shown, told;
  for (const size_t i : chosen.shown) shown.insert(DeathKey(all[i]));
  std::erase_if(report.other_deaths, [&](const ReportOtherDeath& death) { return shown.contains(death.key); });
  for (const ReportOtherDeath& death : report.other_deaths) told.insert(death.key);
  for (const size_t i : chosen.others) {
    if (!told.contains(DeathKey(all[i]))) report.other_deaths.push_back(InShort(all[i]));
  }
  for (const size_t i : chosen.shown) report.post_mortems.push_back(std::move(all[i]));
  return SortAndBound(report.other_deaths);
}

}  // namespace memprof
