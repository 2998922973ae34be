#include "store/metrics.h"

#include <algorithm>
#include <set>

#include "postmortem/post_mortems.h"
#include "report/model.h"
#include "rollup/executor_rows.h"
#include "rollup/executor_sums.h"
#include "rollup/state.h"
#include "store/report_builder.h"

namespace memprof {
namespace {

constexpr int64_t kNotMeasured = -1;

}  // namespace

MetricValues MetricsOf(const StoreState& state) {
  std::set<ReportNotAvailable> not_available;
  CounterSums counters;
  ExecutorSums rest = state.dropped_executors;
  const std::vector<ReportExecutor> executors = ExecutorRows(state, not_available, counters, rest);
  const bool driver_apart = DriverIsApart(state);
  int64_t running = static_cast<int64_t>(rest.running), peak = kNotMeasured, percent = kNotMeasured, python = kNotMeasured;
  for (const ReportExecutor& executor : executors) {
    const bool is_executor = executor.id != "driver" || !driver_apart;
    if (is_executor && !executor.agent_loaded.empty() && !executor.removed_ms) ++running;
    for (const ReportProcess& process : executor.processes) {
      if (process.kind.starts_with("python")) python = std::max(python, static_cast<int64_t>(process.peak_rss_bytes));
    }
    if (!executor.at_peak) continue;
    const uint64_t used = executor.at_peak->used_bytes;
    peak = std::max(peak, static_cast<int64_t>(used));
    if (executor.limit_enforced && executor.limit_bytes && *executor.limit_bytes != 0) {  // else it is no limit to alarm at
      percent = std::max(percent, static_cast<int64_t>(PercentOf(used, *executor.limit_bytes)));
    }
  }
  const auto with_rest = [](std::optional<uint64_t> of_rest, int64_t& value) {
    if (of_rest) value = std::max(value, static_cast<int64_t>(*of_rest));
  };
  with_rest(rest.largest_used_bytes, peak);
  with_rest(rest.largest_percent_of_limit, percent);
  with_rest(rest.largest_python_bytes, python);
  const auto deaths = static_cast<int64_t>(CountDeaths(state));
  return {running, peak, percent, python, static_cast<int64_t>(Leaks(state).size()), deaths};
}

}  // namespace memprof
