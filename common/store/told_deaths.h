// ToldDeaths: what the driver's log was told of deaths. Each is told once, a little after it became known, to include late messages: the
// first kMostInFull in full, all further ones as a count, once a minute. If what comes later changes a verdict, such as another executor's
// look at the kernel's counter, the log is told that, too. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "postmortem/deaths.h"
#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

class ToldDeaths {
 public:
  static constexpr int64_t kPatienceMs = 4000, kCountEveryMs = 60'000;  // the former × `patience`
  // For corrections: twice after each new executor, because a successor says little in its first moments, and each new count of kills.
  static constexpr int64_t kBetweenLooksMs = 15'000;
  static constexpr int kLooks = 2, kMostCorrections = 3;  // of one death
  static constexpr size_t kMostInFull = 20, kMostKnown = 40'000;

  explicit ToldDeaths(int patience = 1) : patience_ms_(kPatienceMs * patience) {}

  // True while there is something to tell, now or a little later; cheap.
  bool AnyUntold(const StoreState& state, int64_t now_ms, bool all) const;

  // Texts of the deaths to tell now, and of corrections, of at most 30 lines each: first seen at least kPatienceMs × patience before
  // `now_ms` (wall clock), or `all`.
  std::vector<std::string> Take(const StoreState& state, int64_t now_ms, bool all);

 private:
  struct ToldVerdict {
    std::string kind;  // VerdictKind
    int corrections = 0;
  };

  // Those to be told, in full or as a count, in the order in which they were seen, and of those in the order of the deaths.
  std::vector<KnownDeath> Due(const StoreState& state, int64_t now_ms, bool all);
  void CountLater(bool survived);
  bool IsTold(const std::string& key) const;
  bool MayCorrect(const StoreState& state) const;
  bool IsLookDue(const StoreState& state, int64_t now_ms, bool all) const;
  void Looked(const StoreState& state, int64_t now_ms);
  // Empty: the log knows this verdict.
  static std::string Correction(ToldVerdict& told, const ReportPostMortem& death);
  bool IsCountDue(int64_t now_ms, bool all) const;

  int64_t patience_ms_;
  std::map<std::string, int64_t> seen_;          // by DeathKey, when it was first seen; kTold: it is told, or counted
  std::map<std::string, ToldVerdict> verdicts_;  // by DeathKey, of those that were told in full
  int64_t looked_ms_ = 0;
  uint64_t looked_evidence_ = 0;                                 // that was known then
  int looks_ = 0;                                                // that follow
  size_t in_full_ = 0, uncounted_ = 0, uncounted_survived_ = 0;  // the last is a part of the second
  uint64_t dropped_ = 0;                                         // of the state's dropped deaths those that are in uncounted_, or were
  std::optional<int64_t> counted_at_ms_;
};

}  // namespace memprof
