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

// Grows with what may change a verdict that was told.
uint64_t EvidenceOf(const StoreState& state) { return state.executors.size() + state.host_kills_found; }

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
  if (IsLookDue(state, now_ms, all)) return true;
  return AnyDeath(state, [this](const std::string& key) { return !IsTold(key); });
}

// Facts that were dropped may have been evidence: then a verdict changes only because less is known.
bool ToldDeaths::MayCorrect(const StoreState& state) const {
  return !verdicts_.empty() && state.dropped_executors.executors == 0 && state.folded_tasks.size() == 0;
}

bool ToldDeaths::IsLookDue(const StoreState& state, int64_t now_ms, bool all) const {
  if (!MayCorrect(state)) return false;
  if (all) return true;
  const bool changed = looks_ > 0 || EvidenceOf(state) != looked_evidence_;
  return changed && (now_ms - looked_ms_ >= kBetweenLooksMs || now_ms < looked_ms_);
}

void ToldDeaths::Looked(const StoreState& state, int64_t now_ms) {
  looks_ = EvidenceOf(state) != looked_evidence_ ? kLooks : std::max(0, looks_ - 1);
  looked_ms_ = now_ms;
  looked_evidence_ = EvidenceOf(state);
}

std::string ToldDeaths::Correction(const std::string& key, const ReportPostMortem& death) {
  const auto told = verdicts_.find(key);
  if (told == verdicts_.end() || told->second.kind == VerdictKind(death) || told->second.corrections >= kMostCorrections) return "";
  ++told->second.corrections;
  return CorrectionText(death, std::exchange(told->second.kind, VerdictKind(death)));
}

std::vector<std::string> ToldDeaths::Take(const StoreState& state, const std::vector<ReportPostMortem>& shown, int64_t now_ms, bool all) {
  std::vector<std::string> texts;
  std::set<std::string> in_report;
  const bool may_correct = MayCorrect(state);
  Looked(state, now_ms);
  for (const ReportPostMortem& death : shown) {
    const std::string key = DeathKey(death);
    if (!in_report.insert(key).second) continue;
    if (IsTold(key)) {
      std::string correction = may_correct ? Correction(key, death) : "";
      if (!correction.empty()) texts.push_back(std::move(correction));
      continue;
    }
    int64_t& seen = seen_.try_emplace(key, now_ms).first->second;
    seen = std::min(seen, now_ms);  // the clock was set back
    if (!all && now_ms - seen < kPatienceMs) continue;
    seen = kTold;
    if (in_full_ < kMostInFull) {
      ++in_full_;
      verdicts_[key] = {VerdictKind(death)};
      looks_ = kLooks;
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
