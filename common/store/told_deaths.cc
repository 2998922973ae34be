#include "store/told_deaths.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "postmortem/deaths.h"
#include "report/death_keys.h"
#include "report/views/post_mortem_text.h"

namespace memprof {
namespace {

constexpr int64_t kTold = -1;

}  // namespace

bool ToldDeaths::IsTold(const std::string& key) const {
  const auto seen = seen_.find(key);
  return seen != seen_.end() ? seen->second == kTold : seen_.size() >= kMostKnown;
}

bool ToldDeaths::IsCountDue(int64_t now_ms, bool all) const {
  return all || !counted_at_ms_ || now_ms - *counted_at_ms_ >= kCountEveryMs || now_ms < *counted_at_ms_;
}

bool ToldDeaths::AnyUntold(const StoreState& state, int64_t now_ms, bool all) const {
  if ((uncounted_ != 0 || state.dropped_deaths != dropped_) && IsCountDue(now_ms, all)) return true;
  return AnyDeath(state, [this](const std::string& key) { return !IsTold(key); });
}

std::vector<std::string> ToldDeaths::Take(const StoreState& state, const std::vector<ReportPostMortem>& shown, int64_t now_ms, bool all) {
  std::vector<std::string> texts;
  std::set<std::string> in_report;
  for (const ReportPostMortem& death : shown) {
    const std::string key = DeathKey(death);
    in_report.insert(key);
    if (IsTold(key)) continue;
    int64_t& seen = seen_.try_emplace(key, now_ms).first->second;
    seen = std::min(seen, now_ms);  // the clock was set back
    if (!all && now_ms - seen < kPatienceMs) continue;
    seen = kTold;
    if (in_full_ < kMostInFull) {
      ++in_full_;
      texts.push_back(PostMortemText(death));
    } else {
      ++uncounted_;
    }
  }
  AnyDeath(state, [&](const std::string& key) {  // of those that the report has no room for
    if (!IsTold(key) && !in_report.contains(key)) {
      seen_[key] = kTold;
      ++uncounted_;
    }
    return false;
  });
  uncounted_ += state.dropped_deaths - std::exchange(dropped_, state.dropped_deaths);
  if (uncounted_ != 0 && IsCountDue(now_ms, all)) {
    const char* where = state.dropped_deaths == 0 ? "a line for each, and post-mortems of" : "post-mortems of";
    texts.push_back(
        fmt::format("{} more {}; the report has {} the newest and the largest", uncounted_, uncounted_ == 1 ? "death" : "deaths", where));
    uncounted_ = 0;
    counted_at_ms_ = now_ms;
  }
  return texts;
}

}  // namespace memprof
