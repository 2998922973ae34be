// ToldDeaths: what the driver's log was told of deaths. Each is told once, a little after it became known, to include late messages: the
// first kMostInFull in full, all further ones as a count, once a minute. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/model.h"
#include "rollup/state.h"

namespace memprof {

class ToldDeaths {
 public:
  static constexpr int64_t kPatienceMs = 4000, kCountEveryMs = 60'000;
  static constexpr size_t kMostInFull = 20, kMostKnown = 40'000;

  // True while there is something to tell, now or a little later; cheap.
  bool AnyUntold(const StoreState& state, int64_t now_ms, bool all) const;

  // Texts of the deaths to tell now, of at most 30 lines each: first seen at least kPatienceMs before `now_ms` (wall clock), or `all`.
  // `shown`: those that the state's report has; the others are counted.
  std::vector<std::string> Take(const StoreState& state, const std::vector<ReportPostMortem>& shown, int64_t now_ms, bool all);

 private:
  bool IsTold(const std::string& key) const;
  bool IsCountDue(int64_t now_ms, bool all) const;

  std::map<std::string, int64_t> seen_;  // by DeathKey, when it was first seen; kTold: it is told, or counted
  size_t in_full_ = 0, uncounted_ = 0;
  uint64_t dropped_ = 0;  // of the state's dropped deaths those that are in uncounted_, or were
  std::optional<int64_t> counted_at_ms_;
};

}  // namespace memprof
