#include "rollup/time_lines.h"

#include <algorithm>

#include "report/fit_time_lines.h"

namespace memprof {
namespace {

constexpr uint64_t kShare = 8;  // at most one part in so many of the store's limit

uint64_t UsedBytes(const TimeSample& sample) { return sample.used() * 1024; }

void KeepWithinShare(StoreState& state) {
  const auto lines = static_cast<uint64_t>(
      std::count_if(state.executors.begin(), state.executors.end(), [](const auto& executor) { return executor.second.life.has_value(); }));
  const auto fit = [&] { return lines * state.time_line_samples * sizeof(TimeSample) <= state.limit_bytes / kShare; };
  while (!fit() && HalveTimeLines(state)) {
  }
}

const TimeSamples* LifeOf(const StoreState& state, std::string_view id) {
  const auto found = state.executors.find(id);
  return found == state.executors.end() || !found->second.life ? nullptr : &*found->second.life;
}

void PutWholeTimeLines(const StoreState& state, std::vector<ReportExecutor>& rows) {
  for (ReportExecutor& row : rows) {
    if (const TimeSamples* life = LifeOf(state, row.id)) {
      row.time_line = ReportTimeLine{{life->all().begin(), life->all().end()}, life->thinned()};
    }
  }
}

}  // namespace

void AddSamples(std::span<const TimeSample> samples, ExecutorFacts& executor, StoreState& state) {
  if (samples.empty()) return;
  const bool first = !executor.life;
  if (first) executor.life.emplace(state.time_line_samples, &state.memory);
  for (const TimeSample& sample : samples) {
    executor.life->Add(sample);
    if (sample.used() != 0) executor.held.Add(sample.time_ms, UsedBytes(sample));
  }
  if (first) KeepWithinShare(state);
}

std::optional<uint64_t> LeastUsedLately(const ExecutorFacts& executor, int64_t until_ms) {
  if (!executor.life) return executor.least_used_lately;
  std::optional<uint64_t> least;
  for (const TimeSample& sample : executor.life->all()) {
    const bool is_lately = sample.time_ms >= until_ms - kLatelyMs && sample.time_ms <= until_ms;
    if (is_lately && sample.used() != 0) least = std::min(least.value_or(UINT64_MAX), UsedBytes(sample));
  }
  return least;
}

bool HalveTimeLines(StoreState& state) {
  if (state.time_line_samples <= kFewestTimeLineSamples) return false;
  state.time_line_samples = std::max(state.time_line_samples / 2, kFewestTimeLineSamples);
  for (auto& [id, executor] : state.executors) {
    if (executor.life) executor.life->Shrink(state.time_line_samples);
  }
  return true;
}

void PutTimeLines(const StoreState& state, std::vector<ReportExecutor>& rows) {
  PutWholeTimeLines(state, rows);
  FitTimeLines(rows);
}

void PutTimeLines(const StoreState& state, const std::vector<std::string_view>& shown, std::vector<ReportExecutor>& rows) {
  PutWholeTimeLines(state, rows);
  const auto has_line = [&state](std::string_view id) { return LifeOf(state, id) != nullptr; };
  FitTimeLines(static_cast<size_t>(std::count_if(shown.begin(), shown.end(), has_line)), rows);
}

}  // namespace memprof
