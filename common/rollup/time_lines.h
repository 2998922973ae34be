// Executors' time lines in the store: they stay within a share of its limit, so more executors have fewer samples each. Used
// under the store's mutex.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/model.h"
#include "rollup/state.h"
#include "timeline/time_sample.h"

namespace memprof {

inline constexpr size_t kFewestTimeLineSamples = 30;  // of one executor

inline constexpr int64_t kLatelyMs = 30'000;

// Bytes: its least use within kLatelyMs before that time, by the samples that are kept; nothing: there is none. Of an executor whose time
// line was let go it is that before its last sample.
std::optional<uint64_t> LeastUsedLately(const ExecutorFacts& executor, int64_t until_ms);

void AddSamples(std::span<const TimeSample> samples, ExecutorFacts& executor, StoreState& state);

// Half as many samples for each executor from now on; false when the minimum is reached.
bool HalveTimeLines(StoreState& state);

// Adds time lines to the rows of a report, with as many samples as it has room for.
void PutTimeLines(const StoreState& state, std::vector<ReportExecutor>& rows);

// Adds them to some rows of a report that shows the executors `shown`.
void PutTimeLines(const StoreState& state, const std::vector<std::string_view>& shown, std::vector<ReportExecutor>& rows);

}  // namespace memprof
