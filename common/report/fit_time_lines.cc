#include "report/fit_time_lines.h"

#include <algorithm>

#include "timeline/time_samples.h"

namespace memprof {
namespace {

constexpr size_t kMostOfAll = 24'000, kFewest = 40;                // a sample is some 120 bytes of JSON
constexpr size_t kMostWorkersOfAll = kFewestWorkers * kMostOfAll;  // some 18 bytes each

}  // namespace

size_t FitTimeLine(size_t most, ReportTimeLine& line) {
  if (line.samples.size() <= std::max(most, TimeSamples::kFewest)) return 0;
  TimeSamples fewer(most);
  for (const TimeSample& sample : line.samples) fewer.Add(sample);
  line.samples.assign(fewer.all().begin(), fewer.all().end());
  line.thinned += fewer.thinned();
  return fewer.thinned();
}

void KeepLargestWorkers(size_t most, ReportTimeLine& line) {
  for (TimeSample& sample : line.samples) sample.KeepLargestWorkers(most);
}

void FitTimeLines(std::vector<ReportExecutor>& executors) {
  const auto lines = std::count_if(executors.begin(), executors.end(), [](const auto& each) { return each.time_line; });
  FitTimeLines(static_cast<size_t>(lines), executors);
}

void FitTimeLines(size_t lines, std::vector<ReportExecutor>& executors) {
  lines = std::max<size_t>(lines, 1);
  const size_t most = std::max(kFewest, kMostOfAll / lines);
  const size_t workers = std::max(kFewestWorkers, kMostWorkersOfAll / (lines * std::min(most, TimeSamples::kMostOfExecutor)));
  for (ReportExecutor& executor : executors) {
    if (!executor.time_line) continue;
    FitTimeLine(most, *executor.time_line);
    KeepLargestWorkers(workers, *executor.time_line);
  }
}

}  // namespace memprof
