#include "store/told_deaths.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "postmortem/post_mortems.h"
#include "report/death_keys.h"
#include "report/many_deaths.h"
#include "report/views/post_mortem_text.h"

namespace memprof {
namespace {

constexpr int64_t kTold = -1;

// Grows with what may change a verdict that was told.
uint64_t EvidenceOf(const StoreState& state) { return state.executors.size() + state.worker_deaths.size() + state.host_kills_found; }

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
  return AnyDeath(state, [this](const KnownDeath& death) { return !IsTold(death.key); });
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

std::string ToldDeaths::Correction(ToldVerdict& told, const ReportPostMortem& death) {
  if (told.kind == VerdictKind(death) || told.corrections >= kMostCorrections) return "";
  ++told.corrections;
  return CorrectionText(death, std::exchange(told.kind, VerdictKind(death)));
}

std::vector<KnownDeath> ToldDeaths::Due(const StoreState& state, int64_t now_ms, bool all) {
  std::map<std::string, KnownDeath> due;
  const bool waits = !all && in_full_ < kMostInFull;  // a count needs no late messages
  AnyDeath(state, [&](const KnownDeath& death) {
    if (IsTold(death.key)) return false;
    int64_t& seen = seen_.try_emplace(death.key, now_ms).first->second;
    seen = std::min(seen, now_ms);  // the clock was set back
    if (waits && now_ms - seen < patience_ms_) return false;
    KnownDeath& known = due.try_emplace(death.key, death).first->second;  // a worker's may be known in two ways
    known.time_ms = std::min(known.time_ms, death.time_ms);
    known.survived = known.survived && death.survived;
    return false;
  });
  std::vector<KnownDeath> deaths;
  for (auto& [key, death] : due) deaths.push_back(std::move(death));
  std::stable_sort(deaths.begin(), deaths.end(), [this](const KnownDeath& a, const KnownDeath& b) {
    return std::tuple(seen_.at(a.key), a.time_ms) < std::tuple(seen_.at(b.key), b.time_ms);
  });
  return deaths;
}

void ToldDeaths::CountLater(bool survived) {
  ++uncounted_;
  if (survived) ++uncounted_survived_;
}

// In a storm thousands die, so only those that are told in full are written.
std::vector<std::string> ToldDeaths::Take(const StoreState& state, int64_t now_ms, bool all) {
  std::set<std::string> wanted, survived;
  if (IsLookDue(state, now_ms, all)) {
    Looked(state, now_ms);
    for (const auto& [key, verdict] : verdicts_) wanted.insert(key);
  }
  for (const KnownDeath& death : Due(state, now_ms, all)) {
    seen_[death.key] = kTold;
    if (in_full_ < kMostInFull) {
      ++in_full_;
      wanted.insert(death.key);
      if (death.survived) survived.insert(death.key);
    } else {
      CountLater(death.survived);
    }
  }
  std::vector<std::string> texts;
  const bool none_before = verdicts_.empty();
  bool any_new = false;
  for (const ReportPostMortem& death : PostMortemsOf(state, wanted)) {
    const std::string key = DeathKey(death);
    if (wanted.erase(key) == 0) continue;  // a worker's death may be known in two ways
    const auto [verdict, is_new] = verdicts_.try_emplace(key, ToldVerdict{VerdictKind(death)});
    std::string text = is_new ? PostMortemText(death) : Correction(verdict->second, death);
    if (!text.empty()) texts.push_back(std::move(text));
    any_new = any_new || is_new;
  }
  for (const std::string& key : wanted) {
    if (verdicts_.contains(key)) continue;
    --in_full_;  // its executor's facts are gone
    CountLater(survived.contains(key));
  }
  if (any_new) {
    if (none_before) Looked(state, now_ms);
    looks_ = kLooks;
  }
  uncounted_ += state.dropped_deaths - std::exchange(dropped_, state.dropped_deaths);
  if (uncounted_ != 0 && IsCountDue(now_ms, all)) {
    const char* where = state.dropped_deaths == 0 ? "a line for each, and post-mortems of" : "post-mortems of";
    texts.push_back(fmt::format("{}; the report has {} the newest and the largest", MoreDeaths(uncounted_, uncounted_survived_), where));
    uncounted_ = uncounted_survived_ = 0;
    counted_at_ms_ = now_ms;
  }
  return texts;
}

}  // namespace memprof
