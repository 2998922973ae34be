// StageSums: stages without rows of their own. A report shows the heaviest stages and the store keeps only so many; of all others
// it knows how many they were and what they allocated, so that nothing goes uncounted.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "facts/facts.h"
#include "report/model.h"

namespace memprof {

inline constexpr size_t kMostStageRows = 1000;

struct AccountedTask;

struct StageSums {
  uint64_t stages = 0, tasks = 0, other_attempts = 0;
  std::array<OriginFigures, kOrigins> totals{};  // of the tasks; live_at_peak_bytes: the largest of any one task
  uint32_t measured_live = 0;                    // bit (1 << origin)

  void Add(const StageSums& other);
  ReportOtherStages Row() const;
};

// One stage; `tasks` are those that were not folded, accounted (accounting.h).
StageSums SumsOf(const StageFacts& stage, const std::vector<AccountedTask>& tasks);

// The order in which stages keep their rows: failed ones, then by held bytes, by allocated bytes, and the newest first.
inline auto RankOf(StageKey key, const StageFacts& stage, const StageSums& sums) {
  uint64_t live = 0, allocated = 0;
  for (const OriginFigures& figures : sums.totals) {
    live += figures.live_at_peak_bytes;
    allocated += figures.allocated_bytes;
  }
  return std::tuple(stage.failure_reason != 0, live, allocated, key);
}

}  // namespace memprof
