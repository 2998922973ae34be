#include "store/told_deaths.h"

#include <algorithm>
#include <string>

#include "postmortem/deaths.h"
#include "postmortem/post_mortems.h"

namespace memprof {

bool AnyUntoldDeath(const StoreState& state) {
  auto is_told = [](const auto& seen) { return seen.second < 0; };
  bool enough = state.seen_deaths.size() >= kMaxPostMortems && std::all_of(state.seen_deaths.begin(), state.seen_deaths.end(), is_told);
  if (enough) return false;
  return AnyDeath(state, [&](const std::string& key) {
    auto seen = state.seen_deaths.find(key);
    return seen == state.seen_deaths.end() || seen->second >= 0;
  });
}

std::vector<ReportPostMortem> TakeUntold(const std::vector<ReportPostMortem>& deaths, int64_t now_ms, bool all, StoreState& state) {
  std::vector<ReportPostMortem> untold;
  for (const ReportPostMortem& death : deaths) {
    int64_t& seen = state.seen_deaths.try_emplace(DeathKey(death), now_ms).first->second;
    if (seen > now_ms) seen = now_ms;  // the clock was set back
    if (seen < 0 || (!all && now_ms - seen < kPatienceMs)) continue;
    seen = -1;
    untold.push_back(death);
  }
  return untold;
}

}  // namespace memprof
